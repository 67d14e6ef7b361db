import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CONNECTION_LIMITS } from '../budget/connection-limits.js';
import { AnsweredHosts } from './answered-hosts.js';
import { guardConnections } from './guard-connections.js';
import { closeIfUnread, unreadableReason } from './readable-request.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const LIMITS = { requestMs: 300, checkMs: 50, unreadReplyMs: 300, keepAliveMs: 5_000, lingerMs: 200 };
const EVERY_HOST = new AnsweredHosts('0.0.0.0', []);
/** More than the kernel takes off a process's hands. */
const LARGE_REPLY = Buffer.alloc(32 * 1024 * 1024, 'x');

let server: Server;
let sockets: Socket[];
let handle: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  sockets = [];
  handle = (_request, response) => response.end('ok');
  server = createServer((request, response) => {
    const refusal = unreadableReason(request, EVERY_HOST);
    if (!refusal) return handle(request, response);
    response.statusCode = refusal.status;
    closeIfUnread(request, response);
    response.end(refusal.message);
  });
  guardConnections(server, LIMITS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function open(bytes: string): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('latin1');
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  return socket;
}

/** All that comes back until the server closes the connection, whatever this side does. */
async function answerTo(bytes: string): Promise<string> {
  const socket = await open(bytes);
  let received = '';
  socket.on('data', (text: string) => (received += text));
  await once(socket, 'close');
  return received;
}

/** @returns how much came until the connection was closed, and for how long this process stood still at most */
async function readSlowly(): Promise<{ received: number; stoodStillMs: number }> {
  const pauses = monitorEventLoopDelay({ resolution: 1 });
  const socket = await open('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  let received = 0;
  pauses.enable();
  socket.on('data', (text: string) => {
    received += text.length;
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  await once(socket, 'close');
  pauses.disable();
  return { received, stoodStillMs: pauses.max / 1e6 };
}

function expectRefusal(answer: string, status: number, message: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/\r\nConnection: close/);
  const requestId = /X-Request-Id: (\S+)/.exec(head)?.[1];
  expect(JSON.parse(body)).toMatchObject({
    statusCode: status,
    message,
    detail: message,
    request_id: requestId,
  });
}

describe('A request that arrives too slowly', () => {
  it.each([
    ['half of its headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-'],
    ['half of its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf'],
    ['half of a chunk', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha'],
  ])('returns 408 and its connection is closed: %s', async (_, bytes) => {
    handle = (request, response) => request.resume().on('end', () => response.end('ok'));
    expectRefusal(await answerTo(bytes), 408, 'The request did not arrive in time');
  });
});

describe('A reply', () => {
  it('is dropped with its connection when the client does not read', async () => {
    const dropped = new Promise<boolean>((resolve) => {
      handle = (_request, response) => {
        response.once('close', () => resolve(!response.writableFinished));
        response.end(LARGE_REPLY);
      };
    });
    (await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n')).pause();
    expect(await dropped).toBe(true);
  });

  it('continues while the client reads slowly', async () => {
    handle = (_request, response) => response.end(LARGE_REPLY);
    // a client that stands still as long as the server waits, as on a busy machine, reads nothing and has to ask again
    let run = await readSlowly();
    while (run.received <= LARGE_REPLY.length && run.stoodStillMs > LIMITS.unreadReplyMs / 2)
      run = await readSlowly();
    expect(run.received).toBeGreaterThan(LARGE_REPLY.length);
  });

  it('may begin late, and its connection stays open for the next request', async () => {
    handle = (_request, response) => setTimeout(() => response.end('ok'), 3 * LIMITS.unreadReplyMs);
    const socket = await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
  });

  it('is released from memory when it has been sent, although its connection stays open', async () => {
    const replies: WeakRef<ServerResponse>[] = [];
    const sent: Promise<unknown>[] = [];
    handle = (_request, response) => {
      replies.push(new WeakRef(response));
      sent.push(once(response, 'close'));
      response.end('ok');
    };
    for (let count = 0; count < 10; count++) {
      await once(await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), 'data');
    }
    // Node holds the reply until the kernel has taken it: no garbage is collected before that
    await Promise.all(sent);
    do {
      await nextTurn();
      collectGarbage();
    } while (replies.some((reply) => reply.deref() !== undefined));
  });
});

describe('A request that can not be parsed', () => {
  it.each([
    ['text', 'nonsense\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na',
    ],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: a\r\nBad Header: b\r\n\r\n'],
    ['a bad version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('returns 400: %s', async (_, bytes) => {
    expectRefusal(await answerTo(bytes), 400, 'The request could not be parsed');
  });

  it('returns 431 when its headers are too large, and 400 when it is meant for a proxy', async () => {
    const large = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    expectRefusal(await answerTo(large), 431, 'The headers are too large');
    const proxied = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n';
    expectRefusal(await answerTo(proxied), 400, 'This server is not a proxy');
  });

  it('is answered without a body when its method is HEAD', async () => {
    const large = `HEAD / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    const [head, body] = (await answerTo(large)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 431 /);
    expect(body).toBe('');
  });

  it('is not answered in the middle of another reply', async () => {
    handle = (_request, response) => void response.write('begun');
    const socket = await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    let received = '';
    socket.on('data', (text: string) => {
      if (received === '') socket.write('nonsense\r\n\r\n');
      received += text;
    });
    await once(socket, 'close');
    expect(received).toMatch(/begun/);
    expect(received).not.toMatch(/400/);
  });
});

describe('The headers Host and Expect', () => {
  it.each([
    ['', 400],
    ['Host: a\r\nHost: a\r\n', 400],
    ['Host: a b\r\n', 400],
    ['Host: a/b\r\n', 400],
    ['Host: a\r\nExpect: a-miracle\r\n', 417],
    ['Host: a\r\n', 200],
    ['Host: [::1]:8000\r\n', 200],
    ['Host:\r\n', 200],
  ])('of %j lead to the status %i', async (headers, status) => {
    expect(await answerTo(`GET / HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)).toMatch(
      `HTTP/1.1 ${status} `,
    );
  });

  it('may be absent in HTTP/1.0', async () => {
    expect(await answerTo('GET / HTTP/1.0\r\n\r\n')).toMatch('HTTP/1.1 200 ');
  });
});

it('The server has its own timeouts and limits', () => {
  const other = createServer();
  guardConnections(other);
  const { requestTimeout, headersTimeout, keepAliveTimeout } = other;
  expect({ requestTimeout, headersTimeout, keepAliveTimeout }).toEqual({
    requestTimeout: 15_000,
    headersTimeout: 15_000,
    keepAliveTimeout: 75_000,
  });
  expect(CONNECTION_LIMITS.unreadReplyMs).toBe(60_000);
});
