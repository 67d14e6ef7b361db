import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../budget/connection-limits.js';
import { refuseOnSocket } from './refuse-on-socket.js';

/** Refusals by the codes of https://nodejs.org/api/http.html#event-clienterror; all other codes are a 400. */
const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are larger than 16 KiB: send none'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
};

/** The beginning of a HEAD request, whose client would take the body of a reply for the next reply. */
const HEAD = 'HEAD ';

/** A path that neither server has. It is under `/api`, which the web server never answers with a page. */
const NOWHERE = '/api/unreadable';

/**
 * Sets the limits of a server's connections, and answers requests that Node itself would refuse (with an empty reply,
 * or by closing the connection) with an error document. Must be called before the server listens.
 *
 * Two refusals are left to the first handler, which has to call `unreadableReason`: Node would accept two `Host`
 * headers, and it handles `Expect` in the same way for all servers.
 */
export function guardConnections(server: Server, limits: ConnectionLimits = CONNECTION_LIMITS): void {
  /** The response for which each connection is waiting. An idle connection has none: fleets keep thousands of them. */
  const responses = new WeakMap<Duplex, ServerResponse>();
  Object.assign(server, {
    requestTimeout: limits.requestMs,
    headersTimeout: limits.requestMs,
    // Node reads it when the server begins to listen; its option of `createServer` can't be set through Nest.
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false,
  });

  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    responses.set(socket, response);
    response.on('prefinish', () => {
      // The client may have sent its next request already.
      if (responses.get(socket) === response) responses.delete(socket);
      // Node removes the time-out when the reply is sent, and restarts it whenever a part of it was read.
      if (socket.writableLength > 0) socket.setTimeout(limits.unreadReplyMs);
    });
    // Express can't parse a target like `http://[` and would answer with a page of its own.
    if (!request.url?.startsWith('/') && !URL.canParse(request.url ?? '')) request.url = NOWHERE;
  });

  // `100 Continue` is sent before the body is read, and never to a request that is refused.
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);

  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    refuseOnSocket(socket, { status: 400, message: 'This server is not a proxy' }, limits.lingerMs),
  );
  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex) => {
    const response = responses.get(socket);
    if (!socket.writable || response?.headersSent || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, message] = refusals[error.code ?? ''] ?? [400, 'The request could not be parsed'];
    const isHead = error.rawPacket?.toString('latin1', 0, HEAD.length) === HEAD;
    refuseOnSocket(socket, { status, message, isHead }, limits.lingerMs);
  });
}
