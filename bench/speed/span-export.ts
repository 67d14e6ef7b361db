import { randomBytes } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  type AnyValue,
  ExportTraceServiceRequestSchema,
} from '../../src/telemetry/otlp/generated/otlp_pb.js';

const BYTES_OF_A_TRACE_ID = 16;
const BYTES_OF_A_SPAN_ID = 8;
const NANOSECONDS_IN_A_MILLISECOND = 1_000_000n;

type Attributes = Readonly<Record<string, string | number>>;

/** A span as a bare table has it. */
export interface BareSpan {
  readonly name: string;
  readonly kind: 'agent' | 'llm' | 'tool';
  /** Milliseconds after the first one. */
  readonly startsAfterMs: number;
  readonly durationMs: number;
  readonly attributes: Attributes;
}

/** The spans of a run, as usual instrumentations write them: an agent, and in turn a call of a model and one of a tool. */
export function spansOfRun(count: number): BareSpan[] {
  return Array.from({ length: count }, (_, index): BareSpan => {
    const time = { startsAfterMs: index * 10, durationMs: 9.5 };
    if (index === 0)
      return {
        ...{ name: 'invoke_agent reader', kind: 'agent', ...time, durationMs: count * 10 },
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'reader' },
      };
    if (index % 2 === 0)
      return {
        ...{ name: 'execute_tool search', kind: 'tool', ...time },
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'search',
          'gen_ai.tool.call.id': `call_${index}`,
          'gen_ai.tool.call.arguments': `{"page": ${index}}`,
        },
      };
    return {
      ...{ name: 'chat gpt-4o', kind: 'llm', ...time },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.response.model': 'gpt-4o-2024-08-06',
        'gen_ai.response.id': `chatcmpl-${index}`,
        'gen_ai.usage.input_tokens': 1_200 + index,
        'gen_ai.usage.output_tokens': 150,
        'server.address': 'api.openai.com',
      },
    };
  });
}

/** An export in Protocol Buffers, as SDKs send it: of another trace each time, so that no span is one that is there already. */
export class SpanExport {
  readonly type = 'application/x-protobuf';
  private readonly body: Buffer;
  private readonly places: number[] = [];

  /** @param beginsAt milliseconds since 1970 */
  constructor(runId: string, spans: readonly BareSpan[], beginsAt = Date.now() - 60_000) {
    const traceId = randomBytes(BYTES_OF_A_TRACE_ID);
    const ids = spans.map(() => randomBytes(BYTES_OF_A_SPAN_ID));
    const request = create(ExportTraceServiceRequestSchema, {
      resourceSpans: [
        {
          resource: { attributes: keyValues({ 'agent_control_plane.run_id': runId }) },
          scopeSpans: [
            {
              scope: { name: 'bench' },
              spans: spans.map((span, index) => ({
                traceId,
                spanId: ids[index]!,
                ...(index > 0 && { parentSpanId: ids[0]! }),
                name: span.name,
                startTimeUnixNano: nanoseconds(beginsAt + span.startsAfterMs),
                endTimeUnixNano: nanoseconds(beginsAt + span.startsAfterMs + span.durationMs),
                attributes: keyValues(span.attributes),
              })),
            },
          ],
        },
      ],
    });
    this.body = Buffer.from(toBinary(ExportTraceServiceRequestSchema, request));
    for (let at = this.body.indexOf(traceId); at >= 0; at = this.body.indexOf(traceId, at + 1))
      this.places.push(at);
  }

  /** The bytes of the next one; those of the one before change. */
  next(): Buffer {
    const traceId = randomBytes(BYTES_OF_A_TRACE_ID);
    for (const at of this.places) traceId.copy(this.body, at);
    return this.body;
  }
}

function nanoseconds(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds)) * NANOSECONDS_IN_A_MILLISECOND;
}

function keyValues(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: { value: anyValue(value) } }));
}

function anyValue(value: string | number): AnyValue['value'] {
  return typeof value === 'string'
    ? { case: 'stringValue', value }
    : { case: 'intValue', value: BigInt(value) };
}
