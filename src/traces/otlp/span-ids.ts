import type { Span } from '../../telemetry/otlp/generated/otlp_pb.js';
import { idText, SPAN_ID_BYTES, TRACE_ID_BYTES } from '../../telemetry/otlp/trace-ids.js';

export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
}

/** The ids of a span, or the reason why they are invalid. */
export function spanIdsOf({ traceId, spanId, parentSpanId }: Span): SpanIds | { readonly problem: string } {
  const trace = idText(traceId, TRACE_ID_BYTES);
  const span = idText(spanId, SPAN_ID_BYTES);
  const parent = parentSpanId.length === 0 ? null : idText(parentSpanId, SPAN_ID_BYTES);
  if (trace === undefined || isZero(trace)) return { problem: problemOf('traceId', TRACE_ID_BYTES) };
  if (span === undefined || isZero(span)) return { problem: problemOf('spanId', SPAN_ID_BYTES) };
  if (parent === undefined) return { problem: `has a parentSpanId that is not ${SPAN_ID_BYTES} bytes long` };
  // Some exporters write zeros for a span without a parent.
  return { traceId: trace, spanId: span, parentSpanId: parent === null || isZero(parent) ? null : parent };
}

function problemOf(field: string, bytes: number): string {
  return `has a ${field} that is not ${bytes} bytes long, or is all zeros`;
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
