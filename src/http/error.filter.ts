import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { closeIfUnread } from '../http-server/readable-request.js';
import { errorBody } from './error-body.js';
import { replyTo } from './error-table.js';
import { FailureLog } from './failure-log.js';
import { isOtlp, isProtobuf, PROTOBUF_TYPE, protobufStatus } from './otlp-requests.js';
import { Refusals } from './refusals.js';
import { requestIdOf } from './request-id.js';
import { RetryLine } from './retry-line.js';

/** Answers every thrown error with an {@link ErrorBody}, and logs those that operators need. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly failures: FailureLog;

  constructor(
    private readonly refusals: Refusals,
    private readonly line: RetryLine,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.failures = new FailureLog(logger);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<Request>(), http.getResponse<Response>());
  }

  answer(error: unknown, request: Request, response: Response): void {
    const reply = replyTo(error);
    this.refusals.note({ request, error, status: reply.status });
    const requestId = requestIdOf(response);
    if (reply.level !== 'debug') {
      const { method, path } = request;
      this.failures.add(reply.level, error, { method, path, status: reply.status, request_id: requestId });
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    closeIfUnread(request, response);
    const retryAfter =
      reply.retryAfterSeconds ?? (reply.status === 503 ? this.line.nextSeconds() : undefined);
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
    // A route may say more about how to get a credential.
    if (reply.status === 401 && !response.hasHeader('WWW-Authenticate'))
      response.setHeader('WWW-Authenticate', 'Bearer');
    // OTLP has one status for all invalid requests, and a single text as message.
    const status = isOtlp(request) && reply.status === 422 ? 400 : reply.status;
    const body = errorBody({ ...reply, status }, requestId);
    response.status(status);
    if (isOtlp(request) && isProtobuf(request)) {
      response.type(PROTOBUF_TYPE).send(protobufStatus(body.detail));
    } else {
      // The route may have set the type of its success already.
      response.type('json').json(body);
    }
  }
}
