import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expectError } from '../harness/error-shape.js';
import { rawRequest } from '../harness/raw-request.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let service: TestApp;
const sockets: Socket[] = [];

beforeAll(async () => {
  service = await startTestApp();
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(() => service.close());

/** Opens a connection and sends bytes. @returns the reply, when the other side has closed the connection */
function send(bytes: string): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
  sockets.push(socket);
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => (received += text));
  // a client that keeps sending gets an error after the other side has closed; `once` of node:events would reject
  socket.on('error', () => undefined);
  return { socket, answer: new Promise((resolve) => socket.once('close', () => resolve(received))) };
}

const headOf = (path: string, headers: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n`;

function errorIn(answer: string): [status: number, message: string] {
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const body = JSON.parse(text);
  expect(Object.keys(body)).toEqual(['statusCode', 'error', 'code', 'message', 'detail', 'request_id']);
  expect(head).toContain(`X-Request-Id: ${body.request_id}`);
  expect(head).toMatch(/\r\nConnection: close/);
  expect(head).toMatch(`HTTP/1.1 ${body.statusCode} ${body.error}`);
  return [body.statusCode, body.message];
}

describe('A body whose Content-Length is too large', () => {
  it.each(['', 'Expect: 100-continue\r\n'])(
    'is refused with 413 before any of it was sent: %j',
    async (expectation) => {
      const { answer } = send(headOf('/leads', `Content-Length: ${MIB + 1}\r\n${expectation}`));
      expect(errorIn(await answer)).toEqual([
        413,
        `The body is larger than ${MIB} bytes (MAX_BODY_BYTES): send it in smaller parts`,
      ]);
    },
  );

  it('is refused with 413 if the client sends it without waiting', async () => {
    for (let attempt = 0; attempt < 5; attempt++) {
      const reply = await rawRequest(service.url, {
        method: 'POST',
        path: '/leads',
        headers: { 'content-type': 'application/json' },
        parts: [Buffer.alloc(8 * MIB, ' ')],
      });
      expect([reply.status, reply.headers.connection]).toEqual([413, 'close']);
    }
    const raw = `"${'x'.repeat(8 * MIB)}"`;
    expectError(
      await service.api.post('/leads', undefined, { raw }),
      413,
      `The body is larger than ${MIB} bytes (MAX_BODY_BYTES): send it in smaller parts`,
    );
  });

  it('ends with a closed connection if the client never stops sending', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    const sendOnAndOn = async () => {
      const { socket, answer } = send(headOf('/leads', `Content-Length: ${1024 * MIB}\r\n`));
      // bytes written earlier would precede the head
      await once(socket, 'connect');
      const sending = setInterval(() => socket.write(chunk), 5);
      return answer.finally(() => clearInterval(sending));
    };
    // a client that still sends after the end loses unread replies: then the next one has to get it
    expect(errorIn(await until(sendOnAndOn))[0]).toBe(413);
  });
});

describe('A client that sends Expect: 100-continue', () => {
  it('gets 100 Continue if the route reads the body', async () => {
    const body = JSON.stringify({ email: 'asks@example.com' });
    const sent = request(`${service.url}/leads`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
    });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end(body);
    const [reply] = await once(sent, 'response');
    reply.resume();
    expect(reply.statusCode).toBe(201);
  });

  it('gets only the final reply in HTTP/1.0, which has no 100 Continue', async () => {
    const body = JSON.stringify({ email: 'old@example.com' });
    const { answer } = send(
      `POST /leads HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body}`,
    );
    expect(await answer).toMatch(/^HTTP\/1.1 201 /);
  });

  it.each([
    ['PUT', '/leads', 'application/json', 405],
    ['POST', '/nothing', 'application/json', 404],
    ['POST', '/leads', 'text/plain', 415],
  ])(
    'is refused at once if the route does not read the body: %s %s %s',
    async (method, path, type, status) => {
      const { answer } = send(
        `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
      );
      expect(errorIn(await answer)[0]).toBe(status);
    },
  );
});

describe('A request that is sent partly', () => {
  it('is refused with 408 after the time limit, while others are served', async () => {
    const server = service.app.getHttpServer();
    const usual = server.requestTimeout;
    expect(usual).toBe(15_000);
    server.requestTimeout = server.headersTimeout = 1_000;
    try {
      const bytes = `${headOf('/leads', 'Content-Length: 100\r\n')}{"email":`;
      const answers = Array.from({ length: 250 }, () => send(bytes).answer);
      expect((await service.api.post('/leads', { email: 'meanwhile@example.com' })).status).toBe(201);
      expect((await service.api.get('/health')).status).toBe(200);
      for (const answer of await Promise.all(answers))
        expect(errorIn(answer)).toEqual([408, 'The request did not arrive in time']);
    } finally {
      server.requestTimeout = server.headersTimeout = usual;
    }
  });

  it('uses a bounded share of the memory, and small bodies are read even when that is used up', async () => {
    const large = `${headOf('/leads', `Content-Length: ${MIB}\r\n`)}${' '.repeat(MIB - 1)}`;
    const refused: string[] = [];
    for (let count = 0; count < 80; count++) void send(large).answer.then((answer) => refused.push(answer));
    await until(() => refused.length >= 10);
    for (const answer of refused) {
      expect(errorIn(answer)[0]).toBe(503);
      expect(answer).toMatch(/\r\nRetry-After: [1-5]\r\n/);
    }
    expect((await service.api.post('/leads', { email: 'small@example.com' })).status).toBe(201);
    for (const socket of sockets) socket.destroy();
    // The memory is free again as soon as the connections are closed.
    const raw = JSON.stringify({ email: 'large@example.com', source: 'x'.repeat(MIB / 2) });
    await until(async () => (await service.api.post('/leads', undefined, { raw })).status === 422);
  });

  it('uses no more memory for a compressed body than was sent', async () => {
    const compressed = gzipSync(Buffer.alloc(MIB, ' '));
    const head = headOf('/leads', `Content-Encoding: gzip\r\nContent-Length: ${compressed.length}\r\n`);
    const arrived: Socket[] = [];
    const server = service.app.getHttpServer();
    const keep = (socket: Socket) => arrived.push(socket);
    // Otherwise the remains of earlier tests would be included.
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    server.on('connection', keep);
    try {
      const half = head + compressed.subarray(0, -1).toString('latin1');
      for (let count = 0; count < 600; count++) void send(half);
      await until(
        () => arrived.length === 600 && arrived.every(({ bytesRead }) => bytesRead === half.length),
      );
    } finally {
      server.off('connection', keep);
    }
    // Bodies are decompressed one after the other, so a later body is read later.
    const { answer } = send(head + compressed.toString('latin1'));
    await until(() => sockets.at(-1)!.bytesRead > 0);
    sockets.at(-1)!.destroy();
    expect(await answer).toContain('HTTP/1.1 400 ');
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * MIB);
  });
});
