import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expectIncomingDocumented } from './api-contract.js';

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; throws if it is not JSON. */
  readonly body: any;
}

export interface RawRequest {
  readonly method?: string;
  /** Sent unchanged: `fetch` would normalise it. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** A single part is sent with its length, several ones are sent chunked. */
  readonly parts?: readonly (string | Buffer)[];
}

/** Sends a request without its body: it stays under way until the connection is closed. */
export async function halfSentRequest(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  // the reply to the first request proves that the second one has arrived
  socket.write(
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' +
      'POST /newsletter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  );
  await once(socket, 'data');
  return socket;
}

/** Sends requests that `fetch` refuses. */
export function rawRequest(
  url: string,
  { method = 'GET', path, headers = {}, parts = [] }: RawRequest,
): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const length = parts.length === 1 ? { 'content-length': String(Buffer.byteLength(parts[0]!)) } : {};
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...length, ...headers }, agent: false },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          try {
            expectIncomingDocumented({ method, path }, reply, text);
          } catch (error: unknown) {
            reject(error instanceof Error ? error : new Error(String(error)));
            return;
          }
          resolve({
            status: reply.statusCode ?? 0,
            headers: reply.headers,
            text,
            get body() {
              return JSON.parse(text) as unknown;
            },
          });
        });
      },
    );
    sent.on('error', reject);
    for (const part of parts) sent.write(part);
    sent.end();
  });
}

/** Sends bytes that need not be HTTP, and returns the reply until the other side closes the connection. */
export function exchangeBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
