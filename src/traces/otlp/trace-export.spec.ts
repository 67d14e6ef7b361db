import { create, fromJson, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf';
import { ExportTraceServiceRequestSchema, type SpanSchema } from '../../telemetry/otlp/generated/otlp_pb.js';
import type { Capture } from '../../agents/agent-settings.types.js';
import type { TraceDetail } from '../span.types.js';
import { readTraceExport } from './trace-export.js';

const RECEIVED_AT = new Date('2026-11-26T12:00:00Z');
const NOW = BigInt(RECEIVED_AT.getTime()) * 1_000_000n;
const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;
const MiB = 1024 * 1024;

type SpanInit = MessageInitShape<typeof SpanSchema>;

const id = (bytes: number, last: number) =>
  Uint8Array.from({ length: bytes }, (_, at) => (at === bytes - 1 ? last : 7));
const attributesOf = (values: Record<string, unknown>) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: {
      value: { case: typeof value === 'number' ? 'doubleValue' : 'stringValue', value } as any,
    },
  }));

const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 5 };

const spanOf = (given: SpanInit = {}, attributes: Record<string, unknown> = CHAT): SpanInit => ({
  traceId: id(16, 1),
  spanId: id(8, 1),
  name: 'a span',
  startTimeUnixNano: NOW - 2n * SECOND,
  endTimeUnixNano: NOW - SECOND,
  attributes: attributesOf(attributes),
  ...given,
});

const readAll = (spans: readonly SpanInit[], capture: Capture = 'none', detail: TraceDetail = 'genai') =>
  readTraceExport(
    create(ExportTraceServiceRequestSchema, { resourceSpans: [{ scopeSpans: [{ spans: [...spans] }] }] }),
    RECEIVED_AT,
    { capture, detail },
  );

const readOne = (given: SpanInit = {}, attributes?: Record<string, unknown>, capture?: Capture) =>
  readAll([spanOf(given, attributes)], capture).entries[0]!;

describe('The ids of a span', () => {
  it.each<[string, SpanInit, string]>([
    [
      'a trace id of zeros',
      { traceId: new Uint8Array(16) },
      'traceId that is not 16 bytes long, or is all zeros',
    ],
    ['a short trace id', { traceId: id(15, 1) }, 'traceId that is not 16 bytes long, or is all zeros'],
    ['no trace id', { traceId: new Uint8Array() }, 'traceId that is not 16 bytes long, or is all zeros'],
    ['a span id of zeros', { spanId: new Uint8Array(8) }, 'spanId that is not 8 bytes long, or is all zeros'],
    ['a long span id', { spanId: id(9, 1) }, 'spanId that is not 8 bytes long, or is all zeros'],
    ['a span id of a mebibyte', { spanId: id(MiB, 1) }, 'spanId that is not 8 bytes long, or is all zeros'],
    ['a parent of the wrong length', { parentSpanId: id(3, 1) }, 'parentSpanId that is not 8 bytes long'],
  ])('lead to its rejection with %s', (_, given, problem) => {
    const good = spanOf({ spanId: id(8, 2) });
    const { entries, rejected } = readAll([good, spanOf(given), spanOf(given)]);
    expect(entries).toHaveLength(1);
    expect(rejected).toEqual({ count: 2, reason: `resourceSpans.0.scopeSpans.0.spans.1 has a ${problem}` });
  });

  it.each<[string, SpanInit, string | null, boolean]>([
    ['no parent', {}, null, true],
    ['a parent of zeros', { parentSpanId: new Uint8Array(8) }, null, true],
    ['a parent', { parentSpanId: id(8, 9) }, '0707070707070709', false],
    ['a parent of this process', { parentSpanId: id(8, 9), flags: 0x101 }, '0707070707070709', false],
    ['a remote parent', { parentSpanId: id(8, 9), flags: 0x301 }, '0707070707070709', true],
    ['the bit "remote" alone', { parentSpanId: id(8, 9), flags: 0x200 }, '0707070707070709', false],
  ])('say by %s whether it is a root', (_, given, parentSpanId, isRoot) => {
    expect(readOne(given)).toMatchObject({ parentSpanId, isRoot });
  });

  it('are hexadecimal digits in JSON', () => {
    const json = {
      resource_spans: [
        {
          scope_spans: [
            {
              spans: [
                {
                  traceId: '4BF92F3577B34DA6A3CE929D0E0E4736',
                  span_id: '00f067aa0ba902b7',
                  parent_span_id: '',
                  startTimeUnixNano: '1',
                },
                {
                  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                  spanId: '00f067aa0ba902b7ff',
                  start_time_unix_nano: '1',
                },
              ],
            },
          ],
        },
      ],
    } as JsonValue;
    const read = readTraceExport(fromJson(ExportTraceServiceRequestSchema, json), RECEIVED_AT, {
      capture: 'none',
      detail: 'all',
    });
    expect(read.entries).toMatchObject([
      { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isRoot: true },
    ]);
    expect(read.rejected.count).toBe(1);
  });

  it('count once within an export', () => {
    const { entries, rejected } = readAll([
      spanOf(),
      spanOf({ name: 'again' }),
      spanOf({ traceId: id(16, 2) }),
    ]);
    expect(entries.map(({ name }) => name)).toEqual(['a span', 'a span']);
    expect(rejected.count).toBe(0);
  });
});

describe('The times of a span', () => {
  const at = (seconds: number) => new Date(RECEIVED_AT.getTime() + seconds * 1_000);

  it.each<[string, bigint, bigint, Date, number]>([
    ['its start and its end', NOW - 2n * SECOND, NOW - SECOND, at(-2), 1_000],
    ['half a millisecond, rounded', NOW, NOW + 500_000n, at(0), 1],
    ['less, rounded', NOW, NOW + 499_999n, at(0), 0],
    ['an end before its start', NOW, NOW - SECOND, at(0), 0],
    ['no start', 0n, NOW - SECOND, at(-1), 0],
    ['no end', NOW - SECOND, 0n, at(-1), 0],
    ['a clock that is a day ahead', NOW + DAY, NOW + DAY, at(86_400), 0],
    ['a duration of decades', 1n, NOW, new Date(0), 2 ** 31 - 1],
  ])('are read from %s', (_, startTimeUnixNano, endTimeUnixNano, timestamp, durationMs) => {
    expect(readOne({ startTimeUnixNano, endTimeUnixNano })).toMatchObject({ timestamp, durationMs });
  });

  it.each<[string, bigint, string]>([
    ['no times', 0n, 'has neither startTimeUnixNano nor endTimeUnixNano'],
    ['a start in the far future', 2n ** 64n - 2n, 'is more than a day in the future'],
    ['a start that is more than a day in the future', NOW + DAY + SECOND, 'is more than a day in the future'],
  ])(
    'lead to its rejection with %s, because it would count again when it is sent again',
    (_, time, problem) => {
      const good = spanOf({ spanId: id(8, 2) });
      const { entries, rejected } = readAll([
        spanOf({ startTimeUnixNano: time, endTimeUnixNano: time }),
        good,
      ]);
      expect(entries).toHaveLength(1);
      expect(rejected).toMatchObject({ count: 1, reason: expect.stringContaining(problem) });
    },
  );
});

describe('The failure of a span', () => {
  const exception = (type: string, message: string) => ({
    name: 'exception',
    attributes: attributesOf({ 'exception.type': type, 'exception.message': message }),
  });

  it.each<[string, SpanInit, Record<string, unknown>, object]>([
    ['no status', {}, {}, { status: 'unset', errorType: null, errorMessage: null }],
    [
      'ok',
      { status: { code: 1, message: 'fine' } },
      { 'error.type': 'x' },
      { status: 'ok', errorType: null },
    ],
    [
      'an error',
      { status: { code: 2, message: 'broken' } },
      { 'error.type': 'E' },
      { status: 'error', errorType: 'E', errorMessage: 'broken' },
    ],
    ['an error.type without a status', {}, { 'error.type': '429' }, { status: 'error', errorType: '429' }],
    ['a status that is not known', { status: { code: 9 } }, {}, { status: 'unset' }],
    [
      'the last exception',
      { status: { code: 2 }, events: [exception('A', 'a'), exception('B', 'b')] },
      {},
      { status: 'error', errorType: 'B', errorMessage: 'b' },
    ],
    [
      'an exception that was handled',
      { events: [exception('A', 'a')] },
      {},
      { status: 'unset', errorType: null },
    ],
    [
      'a message of a mebibyte',
      { status: { code: 2, message: 'm\0'.repeat(MiB / 2) } },
      {},
      { errorMessage: 'm\uFFFD'.repeat(500) },
    ],
  ])('is read from %s', (_, given, attributes, expected) => {
    expect(readOne(given, { ...CHAT, ...attributes })).toMatchObject(expected);
  });
});

describe('What an export keeps', () => {
  const HTTP = { 'http.request.method': 'GET' };

  it.each<[string, SpanInit, Record<string, unknown>, boolean]>([
    ['a plain span within a trace', { parentSpanId: id(8, 9) }, HTTP, false],
    ['a root', {}, HTTP, true],
    ['a failure', { parentSpanId: id(8, 9), status: { code: 2 } }, HTTP, true],
    ['a call', { parentSpanId: id(8, 9) }, CHAT, true],
  ])('includes %s: %4$s', (_, given, attributes, isKept) => {
    const read = readAll([spanOf(given, attributes)]);
    expect(read.entries).toHaveLength(isKept ? 1 : 0);
    expect(read.rejected.count).toBe(0);
    expect(readAll([spanOf(given, attributes)], 'none', 'all').entries).toHaveLength(1);
  });

  it('is bounded to 10,000 spans', () => {
    const spans = Array.from({ length: 10_001 }, (_, at) =>
      spanOf({ spanId: Uint8Array.from([1, 1, 1, 1, 1, 1, at >> 8, at & 255]) }, {}),
    );
    expect(readAll(spans.slice(1)).entries).toHaveLength(10_000);
    expect(() => readAll(spans)).toThrow('An export must have at most 10000 spans');
  });

  it('has names of 200 characters, without characters that PostgreSQL cannot store', () => {
    expect(readOne({ name: 'n\0'.repeat(32 * 1024) }).name).toBe('n\uFFFD'.repeat(100));
  });

  it('has deep attributes only as far as there is room', () => {
    let value: any = { value: { case: 'stringValue', value: 'x'.repeat(20_000) } };
    for (let depth = 0; depth < 30; depth++) {
      value = { value: { case: 'kvlistValue', value: { values: [{ key: 'k', value }] } } };
    }
    const attributes = [...attributesOf(CHAT), { key: 'deep', value }];
    expect(JSON.parse(readOne({ attributes }).attributes!)).toEqual({
      ...CHAT,
      'agent_control_plane.dropped_attributes': 1,
    });
  });

  it('counts spans whose attributes had no room', () => {
    const wide = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`a${at}`, 'x'.repeat(4_000)]));
    const spans = Array.from({ length: 1_200 }, (_, at) =>
      spanOf({ spanId: Uint8Array.from([1, 1, 1, 1, 1, 1, at >> 8, at & 255]) }, { ...CHAT, ...wide }),
    );
    const { entries } = readAll(spans);
    expect(entries.at(-1)).toMatchObject({ tokens: { inputTokens: 5 }, isLlmCall: true });
    const bytes = entries.reduce((sum, { attributes }) => sum + attributes!.length, 0);
    expect(bytes).toBeLessThan(17 * MiB);
  });

  it('has the first 128 events', () => {
    const events = Array.from({ length: 1_000 }, (_, at) => ({ name: `${at}`, timeUnixNano: NOW }));
    expect(JSON.parse(readOne({ events }).events!)).toHaveLength(128);
  });

  it('has content apart, as JSON', () => {
    const event = {
      name: 'gen_ai.choice',
      timeUnixNano: NOW,
      attributes: attributesOf({ content: 'answer' }),
    };
    const attributes = { ...CHAT, 'gen_ai.input.messages': 'question' };
    const span = readOne({ events: [event] }, attributes, 'all');
    expect(JSON.parse(span.attributes!)).toEqual(CHAT);
    expect(JSON.parse(span.content!)).toEqual({
      attributes: { 'gen_ai.input.messages': 'question' },
      events: [
        { name: 'gen_ai.choice', timestamp: RECEIVED_AT.toISOString(), attributes: { content: 'answer' } },
      ],
    });
    expect(readOne({ events: [event] }, attributes, 'tools').content).toBeNull();
  });

  it('says how many events with content had no room', () => {
    const attributes = attributesOf({ content: 'x'.repeat(30_000) });
    const events = Array.from({ length: 5 }, () => ({
      name: 'gen_ai.choice',
      timeUnixNano: NOW,
      attributes,
    }));
    const { content } = readOne({ events }, CHAT, 'all');
    expect(JSON.parse(content!)).toMatchObject({ events: [{}, {}], dropped_events: 3 });
  });
});

describe('The fingerprint of a call', () => {
  it.each(['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'])(
    'differs where %s differs beyond the stored part',
    (name) => {
      const told = { 'gen_ai.tool.call.arguments': '{}', 'gen_ai.tool.call.result': 'found' };
      const call = { 'gen_ai.operation.name': 'execute_tool', ...told };
      const of = (end: string) => readOne({}, { ...call, [name]: 'x'.repeat(65_536) + end }).toolFingerprint;
      expect(of('a')).toEqual(of('a'));
      expect(of('a')).not.toEqual(of('b'));
    },
  );
});
