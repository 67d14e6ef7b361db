import { gzipSync } from 'node:zlib';
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  toBinary,
  toJson,
  toJsonString,
} from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  ExportMetricsServiceRequestSchema,
  ExportMetricsServiceResponseSchema,
} from '../../src/telemetry/otlp/generated/otlp_pb.js';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { expectNoStall } from '../hostile/event-loop.js';

const CONTENT_TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' };
type Encoding = keyof typeof CONTENT_TYPES;
const ENCODINGS: Encoding[] = ['json', 'protobuf'];
type Logs = MessageInitShape<typeof ExportLogsServiceRequestSchema>;

let service: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});
beforeEach(async () => {
  agent = await createAgent(service, person);
});
afterAll(() => service.close());

/** Reads logs, oldest first. */
const storedLogs = async (): Promise<any[]> =>
  (await person.api.get(`/agents/${agent.id}/logs?limit=100`)).body.reverse();
const storedMetrics = async (): Promise<any[]> => (await person.api.get(`/agents/${agent.id}/metrics`)).body;

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Sends an unchanged body. */
async function send(
  encoding: Encoding,
  kind: 'logs' | 'metrics',
  body: Uint8Array<ArrayBuffer> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const reply = await fetch(`${service.url}/otlp/v1/${kind}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agent.key}`, 'content-type': CONTENT_TYPES[encoding], ...headers },
    body,
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, headers: reply.headers, bytes };
}

function encoded<Type extends DescMessage>(encoding: Encoding, type: Type, content: MessageInitShape<Type>) {
  const message = create(type, content);
  return encoding === 'json' ? toJsonString(type, message) : toBinary(type, message);
}

const logs = (encoding: Encoding, content: Logs) =>
  encoded(encoding, ExportLogsServiceRequestSchema, content);
const text = (value: string) => ({ value: { case: 'stringValue' as const, value } });
const now = () => BigInt(Date.now()) * 1_000_000n;

function logsOf(encoding: Encoding, count: number, message = 'x') {
  const logRecords = Array.from({ length: count }, () => ({ timeUnixNano: now(), body: text(message) }));
  return logs(encoding, { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
}

/** Status and message of an error in the encoding of the request. */
function errorOf(encoding: Encoding, { status, headers, bytes }: Reply): [number, string] {
  expect(headers.get('content-type')).toMatch(CONTENT_TYPES[encoding]);
  if (encoding === 'json') return [status, JSON.parse(bytes.toString()).message];
  // A google.rpc.Status: field 2, and the length of the text in one byte or two.
  expect(bytes[0]).toBe(0x12);
  return [status, bytes.toString('utf8', bytes[1]! < 0x80 ? 2 : 3)];
}

/** The part of a reply about entries that were not stored, as OTLP writes it in JSON. */
function partialSuccessOf(encoding: Encoding, type: DescMessage, bytes: Buffer): unknown {
  const reply = encoding === 'json' ? JSON.parse(bytes.toString()) : toJson(type, fromBinary(type, bytes));
  return reply.partialSuccess;
}

const naming = (deploymentId: string) => ({
  attributes: [{ key: 'agent_control_plane.deployment_id', value: text(deploymentId) }],
});

describe.each(ENCODINGS)('POST /otlp/v1 in %s', (encoding) => {
  it('answers a success in the encoding of the request', async () => {
    const { status, headers, bytes } = await send(encoding, 'logs', logsOf(encoding, 1));
    expect([status, headers.get('content-type')]).toEqual([
      200,
      encoding === 'json' ? 'application/json; charset=utf-8' : CONTENT_TYPES.protobuf,
    ]);
    expect(bytes.toString()).toBe(encoding === 'json' ? '{}' : '');
  });

  it('updates the last_seen_at of the agent', async () => {
    await send(encoding, 'metrics', encoded(encoding, ExportMetricsServiceRequestSchema, {}));
    const seen = 'SELECT last_seen_at FROM agent_presence WHERE agent_id = $1';
    await until(async () => (await service.database.query(seen, [agent.id]))[0]?.last_seen_at);
  });

  it('stores valid records and reports the others, also to a retry', async () => {
    const large = { key: 'k', value: text('x'.repeat(17_000)) };
    const logRecords = [
      { timeUnixNano: 1n, body: text('kept') },
      { timeUnixNano: 1n, attributes: [large] },
    ];
    const body = logs(encoding, { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    for (const isReplayed of [null, 'true']) {
      const { status, headers, bytes } = await send(encoding, 'logs', body);
      expect([status, headers.get('idempotency-replayed')]).toEqual([200, isReplayed]);
      expect(partialSuccessOf(encoding, ExportLogsServiceResponseSchema, bytes)).toEqual({
        rejectedLogRecords: '1',
        errorMessage:
          '1 not stored: resourceLogs.0.scopeLogs.0.logRecords.1 has more than 16384 bytes of attributes, scope and ' +
          'resource',
      });
    }
    expect((await storedLogs()).map((log) => log.message)).toEqual(['kept']);
  });

  it('refuses the whole body if it exceeds a limit', async () => {
    expect(errorOf(encoding, await send(encoding, 'logs', logsOf(encoding, 1_001)))).toEqual([
      400,
      "An export must have at most 1000 log records: lower the exporter's batch size",
    ]);
    const tooLarge = logsOf(encoding, 1, 'x'.repeat(1_100_000));
    const refusal = [413, 'The body is larger than 1048576 bytes (MAX_BODY_BYTES): send it in smaller parts'];
    expect(errorOf(encoding, await send(encoding, 'logs', tooLarge))).toEqual(refusal);
    const zipped = await send(encoding, 'logs', gzipSync(tooLarge), { 'content-encoding': 'gzip' });
    expect(errorOf(encoding, zipped)).toEqual(refusal);
    expect(await storedLogs()).toEqual([]);
  });

  it('answers a malformed body with a 400, another type with a 415, an unknown key with a 401', async () => {
    expect(errorOf(encoding, await send(encoding, 'logs', '{"resourceLogs": 7'))).toEqual([
      400,
      'The body is not an ExportLogsServiceRequest, as its content type says',
    ]);
    const other = await send(encoding, 'logs', 'x', { 'content-type': 'text/plain' });
    expect(errorOf('json', other)).toEqual([
      415,
      'The content type must be application/json or application/x-protobuf',
    ]);
    const unknown = await send(encoding, 'logs', logsOf(encoding, 1), { authorization: 'Bearer nothing' });
    expect(errorOf(encoding, unknown)).toEqual([401, 'Invalid or expired token']);
  });

  it("stores records of its own deployments, and reports those of other agents' and of unknown deployments", async () => {
    const own = await deploy(person, agent);
    const other = await deploy(person, await createAgent(service, person));
    const resourceLogs = [other, own.toUpperCase(), 'none'].map((id) => ({
      resource: naming(id),
      scopeLogs: [{ logRecords: [{ timeUnixNano: 1n }, { timeUnixNano: 2n }] }],
    }));
    for (const isReplayed of [null, 'true']) {
      const { status, headers, bytes } = await send(encoding, 'logs', logs(encoding, { resourceLogs }));
      expect([status, headers.get('idempotency-replayed')]).toEqual([200, isReplayed]);
      expect(partialSuccessOf(encoding, ExportLogsServiceResponseSchema, bytes)).toEqual({
        rejectedLogRecords: '4',
        errorMessage:
          '4 not stored: resourceLogs.0.scopeLogs.0.logRecords.0.deployment_id must be a deployment of this agent',
      });
    }
    expect((await storedLogs()).map((log) => log.deployment_id)).toEqual([own, own]);
  });

  it("reports as rejected each data point that names another agent's deployment", async () => {
    const other = await deploy(person, await createAgent(service, person));
    const dataPoints = ['a', 'b', 'c'].map((name) => ({
      timeUnixNano: 1n,
      value: { case: 'asDouble' as const, value: 1 },
      attributes: [{ key: 'name', value: text(name) }],
    }));
    const metrics = [{ name: 'load', data: { case: 'gauge' as const, value: { dataPoints } } }];
    const body = encoded(encoding, ExportMetricsServiceRequestSchema, {
      resourceMetrics: [
        { resource: naming(other), scopeMetrics: [{ metrics }] },
        { scopeMetrics: [{ metrics }] },
      ],
    });
    const { status, bytes } = await send(encoding, 'metrics', body);
    expect([status, partialSuccessOf(encoding, ExportMetricsServiceResponseSchema, bytes)]).toEqual([
      200,
      expect.objectContaining({ rejectedDataPoints: '3' }),
    ]);
    expect(await storedMetrics()).toHaveLength(1);
  });
});

describe('An export without timestamps', () => {
  it('is stored each time, but only once under an Idempotency-Key', async () => {
    const body = logs('json', { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: text('tick') }] }] }] });
    const keyed = { 'idempotency-key': 'k' };
    for (const headers of [{}, {}, keyed, keyed])
      expect((await send('json', 'logs', body, headers)).status).toBe(200);
    expect(await storedLogs()).toHaveLength(3);
  });
});

describe('An export of metrics', () => {
  it('is stored with the quantiles of a summary, and without points that have no value', async () => {
    const dataPoints = [
      { timeUnixNano: now(), count: 4n, sum: 10, quantileValues: [{ quantile: 0.5, value: 2 }] },
      { timeUnixNano: now(), flags: 1 },
    ];
    const metrics = [{ name: 'old', data: { case: 'summary' as const, value: { dataPoints } } }];
    const body = encoded('protobuf', ExportMetricsServiceRequestSchema, {
      resourceMetrics: [{ scopeMetrics: [{ metrics }] }],
    });
    expect((await send('protobuf', 'metrics', body)).status).toBe(200);
    expect((await storedMetrics()).map(({ custom }) => custom)).toEqual([
      { metrics: { old: { count: 4, sum: 10, quantiles: { 0.5: 2 } } } },
    ]);
  });

  it('is stored in several rows if one would be too large', async () => {
    const dataPoints = Array.from({ length: 1_000 }, (_, at) => ({
      timeUnixNano: 1_700_000_000_000_000_000n,
      value: { case: 'asInt' as const, value: BigInt(at) },
      attributes: [{ key: 'route', value: text(`/a/long/path/to/number/${at}`) }],
    }));
    const metrics = [{ name: 'requests', data: { case: 'gauge' as const, value: { dataPoints } } }];
    const body = encoded('protobuf', ExportMetricsServiceRequestSchema, {
      resourceMetrics: [{ scopeMetrics: [{ metrics }] }],
    });
    expect((await send('protobuf', 'metrics', body)).status).toBe(200);
    const rows = await storedMetrics();
    expect(rows.length).toBeGreaterThan(1);
    const stored = rows.flatMap(({ custom }) => Object.values<number>(custom.metrics));
    expect(stored.sort((one, other) => one - other)).toEqual(dataPoints.map((_, at) => at));
  });
});

/** A message nested in others, each of which is one field of the next. */
function nested(fields: readonly number[], innermost: Uint8Array): Uint8Array<ArrayBuffer> {
  return Buffer.from(
    fields.reduce(
      (inner, field) => new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(inner).finish(),
      innermost,
    ),
  );
}

describe('A body that is built to be slow', () => {
  const repeated = (...bytes: number[]) => Buffer.alloc(1_000_000, Buffer.from(bytes));
  const levels = Array.from({ length: 5_000 }, () => [1, 5]).flat();
  const inJson = (records: number) =>
    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${'{},'.repeat(records - 1)}{}]}]}]}`;
  const FIELDS = /^The body has more than 200000 fields and elements/;

  it.each<[string, Encoding, Uint8Array<ArrayBuffer> | string, string | RegExp]>([
    ['500,000 attributes', 'protobuf', nested([2, 2, 1], repeated(0x32, 0)), /more than 100000 messages/],
    ['500,000 records', 'protobuf', nested([2, 1], repeated(0x12, 0)), /at most 1000 log records/],
    [
      '10,000 levels',
      'protobuf',
      nested([...levels, 5, 2, 2, 1], Buffer.alloc(0)),
      /^The body is nested too/,
    ],
    ['half a field', 'protobuf', Buffer.from([0x0a, 0xff]), /^The body is not an ExportLogsServiceRequest/],
    ['a length beyond the end', 'protobuf', Buffer.from([0x0a, 0xff, 0xff, 0x7f]), /^The body is not an/],
    ['groups in groups', 'protobuf', Buffer.alloc(100_000, 0x0b), /^The body is not an/],
    ['500,000 unknown fields', 'protobuf', repeated(0x78, 0), FIELDS],
    ['500,000 levels of a record', 'protobuf', nested([2, 2, 1], repeated(0x10, 0)), FIELDS],
    ['300,000 records', 'json', inJson(300_000), /^The body has more than 200000 values/],
    ['99,000 records', 'json', inJson(99_000), /at most 1000 log records/],
  ])('is refused and delays no other request: %s in %s', async (_, encoding, body, message) => {
    let reply: Reply | undefined;
    await expectNoStall(async () => (reply = await send(encoding, 'logs', body)));
    expect(errorOf(encoding, reply!)).toEqual([400, expect.stringMatching(message)]);
  });
});
