import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONNECTION_LIMITS } from '../budget/connection-limits.js';
import type { AnsweredHosts } from './answered-hosts.js';
import { closeLater } from './refuse-on-socket.js';

export interface Refusal {
  readonly status: number;
  /** One sentence. */
  readonly message: string;
}

/** An `Expect` header as Node recognises it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
/** A host without blanks and without characters that belong to another part of an address. */
const HOST = /^[^\s/?#@\\]*$/;

/**
 * The reason why no request with these headers can be served: its `Host` or its `Expect`. The first handler calls it.
 */
export function unreadableReason(
  { headers, headersDistinct, httpVersion }: IncomingMessage,
  hosts: AnsweredHosts,
): Refusal | undefined {
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect))
    return { status: 417, message: 'The header Expect must be 100-continue' };
  const isOptional = httpVersion === '1.0' && headers.host === undefined;
  // Node keeps only the first of several `Host` headers.
  if (!isOptional && headersDistinct.host?.length !== 1)
    return { status: 400, message: 'The request must have exactly one Host header' };
  if (!HOST.test(headers.host ?? '')) return { status: 400, message: 'The header Host is malformed' };
  const misdirected = isOptional ? undefined : hosts.refusalOf(headers.host ?? '');
  return misdirected === undefined ? undefined : { status: 421, message: misdirected };
}

/** Returns true if a request has a body; an empty one does not count. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Message of the 413, for both servers. @param setting the one that decides */
export function bodyTooLarge(maximumBytes: number, setting = 'MAX_BODY_BYTES'): string {
  return `The body is larger than ${maximumBytes} bytes (${setting}): send it in smaller parts`;
}

/** Returns true if `Content-Length` is above the maximum. */
export function announcesTooMuch({ headers }: IncomingMessage, maximumBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > maximumBytes;
}

/**
 * Must be called before a body is read: a client that sent `Expect: 100-continue` sends it only now. HTTP/1.0 has no
 * interim replies, so such a client would take it for the reply (RFC 9110, 10.1.1).
 */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue();
}

/**
 * Must be called before a refusal is written. If the body of the request has not arrived, the connection is closed
 * after the reply, because the rest of the body would have to be read before the next request.
 */
export function closeIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || !hasBody(request)) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  const endAndClose = () => {
    socket.end();
    closeLater(socket, CONNECTION_LIMITS.lingerMs);
  };
  // Node calls this when the reply is written; its own function resets the connection if more of the body arrives.
  socket.destroySoon = endAndClose;
}
