import type { components } from '../generated/schema.js';
import { wellFormedJson } from '../well-formed-json.js';

export type SpanKind = components['schemas']['SpanKind'];

export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** A span that has ended. */
export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** The parent is a span of another program, so that this one is the root here. */
  readonly isParentRemote: boolean;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attributes: SpanAttributes;
  /** Undefined: it has not failed. */
  readonly failure: string | undefined;
}

/** `trace_flags` sampled, and whether the parent is remote is known. */
const FLAGS = 0x101;
const REMOTE_PARENT = 0x200;
/** `SPAN_KIND_INTERNAL` and `STATUS_CODE_ERROR` of OTLP. */
const INTERNAL = 1;
const ERROR = 2;
const NANOSECONDS_IN_A_MILLISECOND = 1_000_000n;

/** A span as OTLP has it in JSON. */
export function otlpSpanOf(span: EndedSpan) {
  const { traceId, spanId, parentSpanId, isParentRemote, name, startedAt, durationMs, attributes } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    flags: isParentRemote ? FLAGS | REMOTE_PARENT : FLAGS,
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(startedAt + durationMs),
    attributes: Object.entries(attributes).flatMap(([key, value]) => attributeOf(key, value) ?? []),
    ...(span.failure !== undefined && { status: { code: ERROR, message: span.failure } }),
  };
}

/** The body of an export. @param spans as JSON */
export function traceRequestOf(spans: readonly string[]): string {
  return `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"agent-control-plane"},"spans":[${spans.join(',')}]}]}]}`;
}

/** @returns a text in JSON; undefined for anything else */
export function jsonText(value: unknown): string | undefined {
  try {
    return wellFormedJson(value ?? null);
  } catch {
    return undefined;
  }
}

function attributeOf(key: string, value: string | number | undefined) {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return undefined;
  if (typeof value === 'string') return { key, value: { stringValue: value } };
  // 64-bit numbers are texts in JSON
  return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * (NANOSECONDS_IN_A_MILLISECOND / 1_000n));
}
