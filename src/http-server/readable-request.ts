import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONNECTION_LIMITS } from '../budget/connection-limits.js';
import type { AnsweredHosts } from './answered-hosts.js';
import { closeLater } from './refuse-on-socket.js';

export interface Refusal {
  readonly status: number;
  /** One sentence. */
  readonly message: string;
}

/** As Node reads it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
/** Neither blanks nor what would be part of another component of an address. */
const HOST = /^[^\s/?#@\\]*$/;

/** Why a request can't be served whatever it is about: its `Host` or its `Expect`. For the first handler to ask. */
export function unreadableReason(
  { headers, rawHeaders, httpVersion }: IncomingMessage,
  hosts: AnsweredHosts,
): Refusal | undefined {
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect))
    return { status: 417, message: 'The only expectation that can be met is 100-continue' };
  const isOptional = httpVersion === '1.0' && headers.host === undefined;
  // Node keeps the first one of several.
  if (!isOptional && countOf('host', rawHeaders) !== 1)
    return { status: 400, message: 'The header Host must be there once' };
  if (!HOST.test(headers.host ?? '')) return { status: 400, message: 'The header Host is malformed' };
  const misdirected = isOptional ? undefined : hosts.refusalOf(headers.host ?? '');
  return misdirected === undefined ? undefined : { status: 421, message: misdirected };
}

/** @param rawHeaders names and values in turn */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]!;
    if (given.length === name.length && given.toLowerCase() === name) count++;
  }
  return count;
}

/** Returns true if a request announces a body; an empty one is none. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Message of the 413, for both servers. */
export function bodyTooLarge(maximumBytes: number): string {
  return `The body is larger than ${maximumBytes} bytes (MAX_BODY_BYTES): send it in smaller parts`;
}

/** Returns true if `Content-Length` is more than may be read. */
export function announcesTooMuch({ headers }: IncomingMessage, maximumBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > maximumBytes;
}

/**
 * Must be called before a body is read: a client that asked first sends it only now. HTTP/1.0 knows no interim replies, so such
 * a client would take it for the reply (RFC 9110, 10.1.1).
 */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue();
}

/**
 * Must be called before a refusal is written. Where the body of the request has not arrived, the connection is closed
 * after the reply, since the rest of the body would have to be read before the next request.
 */
export function closeIfUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || !hasBody(request)) return;
  response.setHeader('Connection', 'close');
  const { socket } = request;
  const endAndClose = () => {
    socket.end();
    closeLater(socket, CONNECTION_LIMITS.lingerMs);
  };
  // Called by Node when the reply is written; its own way resets the connection when more of the body comes.
  socket.destroySoon = endAndClose;
}
