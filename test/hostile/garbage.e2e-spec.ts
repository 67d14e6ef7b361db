import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { ERROR_FIELDS } from '../harness/error-shape.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

/** A tenth of the generated requests: most of these wait until the service closes the connection. */
const RUNS = Math.ceil(Number(process.env.HOSTILE_REQUESTS ?? 1_000) / 10);
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Number of open connections. */
const AT_ONCE = 50;

const REQUESTS = [
  'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'POST /leads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 25\r\n\r\n{"email":"a@example.com"}',
  'POST /leads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
];

let service: TestApp;

beforeAll(async () => {
  service = await startTestApp();
  const server = service.app.getHttpServer();
  // Short time-outs, because the end of the suite waits for open connections.
  server.requestTimeout = server.headersTimeout = server.keepAliveTimeout = 1_000;
});

afterAll(() => service.close());

/** @returns the reply until the connection is closed; empty if it was reset */
async function answerTo(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return received;
}

/** A request of which a part is cut out, doubled or overwritten. */
const mutilated = fc
  .record({
    request: fc.constantFrom(...REQUESTS),
    from: fc.nat(200),
    length: fc.nat(40),
    by: fc.oneof(
      fc.constantFrom(
        '',
        '\r\n',
        '\r\n\r\n',
        '\0',
        ':',
        ' ',
        '%',
        'Content-Length: 5\r\n',
        'Host: b\r\n',
        '{',
      ),
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
  })
  .map(({ request, from, length, by }) =>
    Buffer.from(request.slice(0, from) + by + request.slice(from + length), 'latin1'),
  );
const noise = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes));

/** One reply or several, if the bytes after a request were taken for another request. */
function expectReplies(received: string): void {
  for (let rest = received; rest !== '';) {
    const [head, status] = /^HTTP\/1\.1 (\d{3}) .*?\r\n\r\n/s.exec(rest) ?? [];
    if (head === undefined) throw new Error(`This is no reply: ${rest.slice(0, 200)}`);
    const length = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? 0);
    const text = rest.slice(head.length, head.length + length);
    rest = rest.slice(head.length + length);
    if (Number(status) >= 500) throw new Error(`The service failed: ${head}${text}`);
    if (Number(status) < 400) continue;
    const body = JSON.parse(text) as object;
    expect(Object.keys(body)).toEqual([...ERROR_FIELDS, ...(status === '422' ? ['errors'] : [])]);
  }
}

it(`Bytes that are a damaged request or none are refused with an error document (HOSTILE_SEED=${SEED})`, async () => {
  const several = fc.array(fc.oneof({ weight: 3, arbitrary: mutilated }, { weight: 1, arbitrary: noise }), {
    minLength: 1,
    maxLength: AT_ONCE,
    size: 'max',
  });
  const property = fc.asyncProperty(several, async (all) => {
    for (const answer of await Promise.all(all.map(answerTo))) expectReplies(answer);
    expect((await service.api.get('/health')).status).toBe(200);
  });
  await fc.assert(property, { numRuns: Math.ceil(RUNS / AT_ONCE), seed: SEED, endOnFailure: true });
}, 600_000);
