import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { ExportTraceServiceRequestSchema } from '../../telemetry/otlp/generated/otlp_pb.js';
import type { SubmittedSpan } from '../span.types.js';
import { readTraceExport } from './trace-export.js';

const RECEIVED_AT = new Date('2026-11-26T12:00:00Z');
const UNSTORABLE = /\0|\\u0000|\\ud[89a-f]/i;

/** Names that have a meaning somewhere, and values that they have or should not have. */
const NAMES = [
  'gen_ai.operation.name',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.cost',
  'gen_ai.tool.name',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'gen_ai.request.model',
  'openinference.span.kind',
  'llm.request.type',
  'input.value',
  'error.type',
  'agent_control_plane.run_id',
  'constructor',
  '__proto__',
];
const WORDS = [
  'chat',
  'execute_tool',
  'invoke_agent',
  'LLM',
  'TOOL',
  '12',
  '-1',
  '',
  '\0',
  '\ud800',
  '__proto__',
];

const text = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'binary', maxLength: 300 }));
const scalar = fc.oneof(
  text.map((value) => ({ case: 'stringValue' as const, value })),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((value) => ({ case: 'intValue' as const, value })),
  fc.double().map((value) => ({ case: 'doubleValue' as const, value })),
  fc.boolean().map((value) => ({ case: 'boolValue' as const, value })),
  fc.uint8Array({ maxLength: 8 }).map((value) => ({ case: 'bytesValue' as const, value })),
  fc.constant({ case: undefined }),
);
const anyValue = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }).map((values) => ({
    case: 'arrayValue' as const,
    value: { values: values.map((value) => ({ value })) },
  })),
);
const attributes = fc.array(
  fc.record({ key: fc.oneof(fc.constantFrom(...NAMES), text), value: anyValue.map((value) => ({ value })) }),
  { maxLength: 12 },
);
const idOf = (bytes: number) =>
  fc.oneof(
    fc
      .integer({ min: 0, max: 3 })
      .map((last) => Uint8Array.from({ length: bytes }, (_, at) => (at ? 0 : last))),
    fc.uint8Array({ maxLength: 20 }),
  );
const time = fc.oneof(
  fc.bigInt({ min: 1n, max: BigInt(RECEIVED_AT.getTime()) * 1_000_000n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const span = fc.record({
  traceId: idOf(16),
  spanId: idOf(8),
  parentSpanId: idOf(8),
  name: fc.oneof(fc.constantFrom('claude_code.tool', 'claude_code.llm_request'), text),
  flags: fc.nat(1023),
  startTimeUnixNano: time,
  endTimeUnixNano: time,
  attributes,
  events: fc.array(fc.record({ name: text, timeUnixNano: time, attributes }), { maxLength: 2 }),
  status: fc.record({ code: fc.integer({ min: -1, max: 3 }), message: text }),
});

function assertStorable(read: SubmittedSpan): void {
  const { attributes: own, events, content, tokens, costUsd, durationMs, timestamp } = read;
  for (const json of [own, events, content]) if (json !== null) JSON.parse(json);
  // The ids of a run and of a deployment are compared with existing ones before anything is
  // stored.
  expect(JSON.stringify({ ...read, runId: null, deploymentId: null })).not.toMatch(UNSTORABLE);
  expect(read.traceId).toMatch(/^(?!0+$)[\da-f]{32}$/);
  expect(read.spanId).toMatch(/^(?!0+$)[\da-f]{16}$/);
  expect(Number.isInteger(durationMs) && durationMs >= 0 && durationMs < 2 ** 31).toBe(true);
  expect(timestamp.getTime()).toBeLessThanOrEqual(RECEIVED_AT.getTime() + 300_000);
  for (const count of Object.values(tokens ?? {}))
    expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  expect(costUsd === null || (Number.isFinite(costUsd) && costUsd >= 0)).toBe(true);
  if (tokens !== null || costUsd !== null) expect(read.isLlmCall).toBe(true);
}

describe('Any export', () => {
  it('becomes spans that PostgreSQL can store, or rejections, and no span is lost', () => {
    fc.assert(
      fc.property(
        fc.array(span, { maxLength: 6 }),
        fc.constantFrom('none', 'tools', 'all'),
        (spans, capture) => {
          const request = create(ExportTraceServiceRequestSchema, {
            resourceSpans: [{ scopeSpans: [{ spans: spans as any }] }],
          });
          const { entries, rejected } = readTraceExport(request, RECEIVED_AT, { detail: 'all', capture });
          entries.forEach(assertStorable);
          const ids = entries.map(({ traceId, spanId }) => `${traceId}${spanId}`);
          expect(new Set(ids).size).toBe(ids.length);
          const valid = spans.length - rejected.count;
          expect(ids.length).toBeLessThanOrEqual(valid);
          expect(ids.length > 0).toBe(valid > 0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
