import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';
import { ExportQueue } from '../../packages/svc/src/runner/otlp/export-queue.js';
import type { Loss } from '../../packages/svc/src/runner/otlp/otlp-export.js';
import { OtlpRelay } from '../../packages/svc/src/runner/otlp/otlp-relay.js';
import { freePort } from '../../bench/fleet/free-port.js';
import { until } from '../harness/until.js';
import { PlayedOtlpService } from './played-otlp-service.js';

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** The relay of `svc run` in this process, and a service that the test plays. */
class Stage {
  readonly told: string[] = [];
  readonly relay: OtlpRelay;
  readonly ending = new AbortController();
  readonly link: ServiceLink;
  readonly flushed: () => Promise<void>;

  private constructor(
    readonly service: PlayedOtlpService,
    relay: OtlpRelay,
    readonly directory: string,
  ) {
    this.relay = relay;
    this.link = new ServiceLink({
      baseUrl: service.url,
      key: 'svc_agent_x',
      userAgent: 'test',
      onEvent: () => undefined,
      refusalPatienceMs: 0,
    });
    const outbox = relay.outbox(this.link, (message) => this.told.push(message));
    this.flushed = () => outbox.flushed();
    void outbox.run(this.ending.signal).catch(() => undefined);
  }

  static async open(
    directory = mkdtempSync(join(tmpdir(), 'otlp-relay-')),
    limits?: { readonly requestTimeoutMs: number },
  ): Promise<Stage> {
    const service = await PlayedOtlpService.open();
    return new Stage(service, await OtlpRelay.listen(join(directory, 'otlp.json'), limits), directory);
  }

  close(): void {
    this.ending.abort();
    this.relay.close();
    this.service.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Sends as an exporter does. */
  send(body: string | Buffer, headers: Record<string, string> = {}, path = '/v1/traces', method = 'POST') {
    return fetch(`${this.relay.endpoint}${path}`, {
      method,
      headers: { 'Content-Type': JSON_TYPE, ...headers },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
  }
}

/** A test with a relay of its own; some wait for pauses, so they run concurrently. */
function itOnStage(title: string, test: (on: Stage) => Promise<void>): void {
  it.concurrent(title, async () => {
    const on = await Stage.open();
    try {
      await test(on);
    } finally {
      on.close();
    }
  });
}

itOnStage('An export goes on unchanged, with the key that the program does not have', async (on) => {
  const compressed = gzipSync('{"resourceSpans":[]}');
  const headers = { 'Content-Encoding': 'gzip', Authorization: 'Bearer stolen', 'X-Other': 'x' };
  const reply = await on.send(compressed, headers);
  expect([reply.status, await reply.json()]).toEqual([200, {}]);
  const binary = await on.send(Buffer.from([0x0a, 0]), { 'Content-Type': PROTOBUF }, '/v1/logs');
  expect([binary.status, await binary.text(), binary.headers.get('content-type')]).toEqual([
    200,
    '',
    PROTOBUF,
  ]);
  await on.send(
    '{"resourceMetrics":[]}',
    { 'Content-Type': 'Application/JSON; charset=utf-8' },
    '/v1/metrics',
  );
  await on.flushed();
  const [traces, logs, metrics] = ['traces', 'logs', 'metrics'].map((signal) => on.service.of(signal));
  expect([traces, logs, metrics].map((calls) => calls!.length)).toEqual([1, 1, 1]);
  expect(traces![0]!.body.equals(compressed)).toBe(true);
  expect(traces![0]!.headers).toMatchObject({
    authorization: 'Bearer svc_agent_x',
    'content-type': JSON_TYPE,
    'content-encoding': 'gzip',
    'idempotency-key': expect.stringMatching(/^[\da-f-]{36}$/),
  });
  expect(traces![0]!.headers).not.toHaveProperty('x-other');
  expect([...logs![0]!.body]).toEqual([0x0a, 0]);
  expect(logs![0]!.headers).not.toHaveProperty('content-encoding');
  expect(metrics![0]!.body.toString()).toBe('{"resourceMetrics":[]}');
  expect(on.told).toEqual([]);
});

itOnStage(
  'A program gets its reply while the service is away, and the export goes on afterwards',
  async (on) => {
    let refused = 0;
    on.service.reply = () => ((refused += 1) <= 2 ? { status: 503, headers: { 'Retry-After': '1' } } : {});
    expect((await on.send('{"a":1}', { 'Idempotency-Key': 'of-the-program' })).status).toBe(200);
    await on.flushed();
    const calls = on.service.of('traces');
    expect(calls.map(({ body }) => body.toString())).toEqual(Array(3).fill('{"a":1}'));
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set(['of-the-program']),
    );
    for (const [index, { at }] of calls.slice(1).entries())
      expect(at - calls[index]!.at).toBeGreaterThan(990);
  },
);

itOnStage('An export that the service refuses is told of, and keeps no other waiting', async (on) => {
  const status = Buffer.from([0x12, 9, ...Buffer.from('too much!')]);
  on.service.reply = ({ body }) => (body.includes('bad') ? { status: 400, body: status } : {});
  for (const body of ['bad', 'bad', 'good']) await on.send(Buffer.from(body), { 'Content-Type': PROTOBUF });
  await on.flushed();
  expect(on.service.of('traces').map(({ body }) => body.toString())).toEqual(['bad', 'bad', 'good']);
  expect(on.told).toEqual([
    'OpenTelemetry: 1 export of traces given up, because the service refuses: too much!',
  ]);
});

itOnStage('An export at which the service fails is not repeated, as the protocol has it', async (on) => {
  on.service.reply = ({ body }) =>
    body.includes('bad') ? { status: 500, body: Buffer.from([0x12, 4, ...Buffer.from('oops')]) } : {};
  for (const body of ['bad', 'good']) await on.send(Buffer.from(body), { 'Content-Type': PROTOBUF });
  await on.flushed();
  expect(on.service.calls).toHaveLength(2);
  expect(on.told).toEqual([expect.stringContaining('the service refuses: oops')]);
});

itOnStage('A part of an export that the service does not take is told of', async (on) => {
  on.service.reply = () => ({
    body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no such run"}}',
  });
  await on.send('{"a":1}');
  await on.flushed();
  expect(on.told).toEqual([expect.stringContaining('without 2 of its entries: no such run')]);
});

itOnStage('Past the limits the oldest exports are dropped, and one line says how many', async (on) => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  on.service.reply = async () => {
    await opened;
    return {};
  };
  const queue = new ExportQueue({ entries: 10, bytes: 20 });
  const losses: Loss[] = [];
  void queue.run(on.link, on.ending.signal, (loss) => losses.push(loss)).catch(() => undefined);
  const push = (text: string) =>
    queue.push({
      signal: 'traces',
      body: Buffer.from(text),
      type: JSON_TYPE,
      isCompressed: false,
      idempotencyKey: text,
    });
  push('at work');
  await until(() => on.service.calls.length === 1);
  for (const name of ['one', 'two', 'three', 'four']) push(`${name.padEnd(7)}.`);
  open();
  await queue.flushed();
  expect(on.service.of('traces').map(({ body }) => body.toString())).toEqual([
    'at work',
    'three  .',
    'four   .',
  ]);
  expect(losses).toEqual([{ kind: 'dropped', count: 2, reason: 'more waited than can be kept' }]);
});

itOnStage('Who does not know the path of the endpoint is refused', async (on) => {
  const { origin, pathname } = new URL(on.relay.endpoint);
  const paths = ['/v1/traces', '//v1/traces', `${pathname.slice(0, -1)}/v1/traces`, '/x/v1/traces'];
  for (const path of paths) {
    const reply = await fetch(`${origin}${path}`, { method: 'POST', body: '{}' });
    expect([path, reply.status]).toEqual([path, 403]);
  }
  expect(on.service.calls).toEqual([]);
});

itOnStage('What is no export is refused with a reason', async (on) => {
  const large = Buffer.alloc(8 * 1024 * 1024 + 1, ' ');
  const replies = {
    404: [
      await on.send('{}', {}, '/v1/profiles'),
      await on.send('{}', {}, '/v2/traces'),
      await on.send('{}', {}, ''),
    ],
    405: [await on.send('', {}, '/v1/traces', 'GET')],
    413: [await on.send(large)],
    415: [
      await on.send('{}', { 'Content-Type': 'text/plain' }),
      await on.send('{}', { 'Content-Encoding': 'br' }),
    ],
  };
  for (const [status, all] of Object.entries(replies))
    for (const reply of all) {
      expect(reply.status).toBe(Number(status));
      expect(((await reply.json()) as any).message).toMatch(/^.+$/);
    }
  expect((await on.send('')).status).toBe(200);
  await on.flushed();
  expect(on.service.calls).toEqual([]);
});

/** Begins a request whose body never ends. */
function endless(on: Stage): ClientRequest {
  const sending = request(`${on.relay.endpoint}/v1/traces`, {
    method: 'POST',
    headers: { 'Content-Type': JSON_TYPE, 'Transfer-Encoding': 'chunked' },
  });
  sending.on('error', () => undefined);
  return sending;
}

itOnStage('Bodies past the limit take no place from others, however long they go on', async (on) => {
  const part = Buffer.alloc(1024 * 1024, ' ');
  const bodies = Array.from({ length: 5 }, () => endless(on));
  for (const sending of bodies)
    for (let parts = 0; parts < 12; parts++)
      await new Promise<void>((resolve) => sending.write(part, () => resolve()));
  expect((await on.send('{"resourceSpans":[]}')).status).toBe(200);
  for (const sending of bodies) sending.destroy();
});

it('A body that never ends is given up, and the end of the runner does not wait for it longer', async () => {
  const on = await Stage.open(undefined, { requestTimeoutMs: 200 });
  const sending = endless(on);
  sending.write('{');
  await once(sending, 'close');
  await on.flushed();
  on.close();
});

it('The endpoint is the same for the next runner, because processes outlive a killed one', async () => {
  const on = await Stage.open();
  const file = join(on.directory, 'otlp.json');
  const { endpoint } = on.relay;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['port', 'token']);
  on.relay.close();
  const next = await Stage.open(on.directory);
  expect(next.relay.endpoint).toBe(endpoint);
  // while another program has the port
  const other = await OtlpRelay.listen(file);
  expect(new URL(other.endpoint).pathname).not.toBe(new URL(endpoint).pathname);
  other.close();
  next.close();
  on.close();
});

it('A file of the endpoint that was not written whole is replaced', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'otlp-relay-'));
  const file = join(directory, 'otlp.json');
  const port = await freePort();
  for (const text of ['{"port": 1', `{"port": ${port}}`, '{"port": "x", "token": "y"}', 'null']) {
    writeFileSync(file, text);
    const relay = await OtlpRelay.listen(file);
    expect(new URL(relay.endpoint).pathname).toMatch(/^\/[\w-]{32}$/);
    relay.close();
  }
  rmSync(directory, { recursive: true });
});
