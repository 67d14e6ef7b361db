import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expectIncomingDocumented } from './api-contract.js';

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; throws where it is none. */
  readonly body: any;
}

export interface RawRequest {
  readonly method?: string;
  /** Sent letter for letter: `fetch` would tidy it up. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** One part goes out with its length, several ones go out chunked. */
  readonly parts?: readonly (string | Buffer)[];
}

/** Sends a request whose body never comes: it stays under way until somebody ends it. */
export async function halfSentRequest(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  // the reply to the first one shows that the second one has arrived
  socket.write(
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' +
      'POST /newsletter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  );
  await once(socket, 'data');
  return socket;
}

/** For requests that `fetch` does not let through. */
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

/** Sends bytes that need not be HTTP, and returns all that comes back until the other side hangs up. */
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
