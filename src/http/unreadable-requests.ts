import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { errorBody } from './error-body.js';

/** By the codes of https://nodejs.org/api/http.html#event-clienterror; all others are a 400. */
const replies: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The body is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time'],
};

/** What Node refuses before there is a request to route is answered in the shape of every error, too. */
export function answerUnreadableRequests(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    // A target like `http://[` is no route; Express can't read it and would answer with a page of its own.
    if (!request.url?.startsWith('/') && !URL.canParse(request.url ?? '')) request.url = '/unreadable';
  });
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, message] = replies[error.code ?? ''] ?? [400, 'This is no HTTP request'];
    const requestId = uuidv7();
    const body = JSON.stringify(errorBody(status, message, requestId));
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  });
}
