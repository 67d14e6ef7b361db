import { STATUS_CODES } from 'node:http';
import type { Request, Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import type { ErrorBody } from '@agent-control-plane/client';
import { givenRequestId, type TrustsSender } from '../http-server/given-request-id.js';
import { codeOfStatus } from '../http-server/status-code.js';

/** A refusal by this server; the service's own refusals are forwarded unchanged. */
export class WebError extends Error {
  override readonly name = 'WebError';

  constructor(
    readonly status: number,
    /** One sentence, for people. */
    override readonly message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The browser has no session, or the service no longer accepts it. */
export class NoSessionError extends WebError {
  constructor(message = 'Invalid or expired token') {
    super(401, message, { 'WWW-Authenticate': 'Bearer' });
  }
}

/** The id that a trusted proxy gave to the request, else a new one; both servers log it. */
export function requestIdFor(request: Request): string {
  const trusts = request.app.get('trust proxy fn') as TrustsSender;
  return givenRequestId(request, trusts) ?? uuidv7();
}

/** Sends an error in the service's error shape. */
export function answerWithError(response: Response, { status, message, headers }: WebError): void {
  const body: ErrorBody = {
    statusCode: status,
    error: STATUS_CODES[status] ?? 'Error',
    code: codeOfStatus(status),
    message,
    detail: message,
    request_id: String(response.getHeader('X-Request-Id')),
  };
  response.status(status).set(headers).json(body);
}
