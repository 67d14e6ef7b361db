import { type ClientRequest, type IncomingMessage, request as send, type Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { RequestOrigin, RequestWay } from '../access/request-origin.js';
import { noteWay } from '../http/own-connections.js';

/** A call of the service's own API. */
export interface OwnCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Ends the call when its caller has gone. */
  readonly signal: AbortSignal;
  /** The caller's address, for the limits and the audit log. */
  readonly address: RequestOrigin['address'];
  readonly way: RequestWay;
}

export interface OwnReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON; undefined: there is none. */
  readonly body: unknown;
}

/**
 * Calls the service's own API in this process, over a connection in memory. The call passes everything that a request
 * from outside passes: limits of bodies and places, guards, validation, idempotency, the audit log. So its callers
 * need no second copy of any rule.
 */
@Injectable()
export class OwnApi {
  constructor(private readonly adapter: HttpAdapterHost) {}

  async request({ method, path, headers, body, signal, address, way }: OwnCall): Promise<OwnReply> {
    const content = body && JSON.stringify(body);
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const request: ClientRequest = send(
        {
          method,
          path,
          signal,
          headers: {
            ...headers,
            ...(content !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(content),
            }),
          },
          createConnection: () => this.connect(address, way),
        },
        resolve,
      );
      request.on('error', reject).end(content);
    });
    const received = await text(reply);
    return {
      status: reply.statusCode ?? 0,
      headers: reply.headers,
      body: received === '' ? undefined : (JSON.parse(received) as unknown),
    };
  }

  /** @returns the caller's side of a new connection to the server */
  private connect(address: string | null, way: RequestWay): Duplex {
    const [near, far] = duplexPair();
    // The methods that the server needs of a socket besides its bytes.
    const server = Object.assign(far, { remoteAddress: address ?? undefined, setTimeout: () => far });
    noteWay(server, way);
    // Documented at https://nodejs.org/api/http.html#event-connection.
    (this.adapter.httpAdapter.getHttpServer() as Server).emit('connection', server);
    return near;
  }
}
