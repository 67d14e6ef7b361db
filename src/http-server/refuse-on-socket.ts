import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { codeOfStatus } from './status-code.js';

export interface SocketRefusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** True for a reply to `HEAD`, which has no body but the length of one. */
  readonly isHead?: boolean;
}

/**
 * Answers with an error document if there is no response to write to, or if the rest of the request is not read, and
 * closes the connection.
 *
 * @param lingerMs time for which further bytes are discarded
 */
export function refuseOnSocket(
  socket: Duplex,
  { status, message, retryAfterSeconds, isHead = false }: SocketRefusal,
  lingerMs: number,
): void {
  const requestId = uuidv7();
  const error = STATUS_CODES[status];
  const body = JSON.stringify({
    statusCode: status,
    error,
    code: codeOfStatus(status),
    message,
    detail: message,
    request_id: requestId,
  });
  const retryAfter = retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`];
  const head = [
    `HTTP/1.1 ${status} ${error}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    ...retryAfter,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
  closeLater(socket, lingerMs);
}

/** Discards further bytes, and closes the connection when the other side has closed it, or the time is over. */
export function closeLater(socket: Duplex, lingerMs: number): void {
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.destroy());
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
