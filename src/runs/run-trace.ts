import { activeSpanContext } from '../observability/spans.js';

/** Length of a span id in hexadecimal. */
const LENGTH_OF_A_SPAN_ID = 16;

/** The trace that a new run belongs to: that of the request that made it or, if that is not traced, one of its own. */
export function newTraceId(runId: string): string {
  return activeSpanContext()?.traceId ?? hexOf(runId);
}

/** W3C trace context for the agent's spans. The parent's id is made of the run's, because the run itself has no span. */
export function traceparentOf({ id, traceId }: { readonly id: string; readonly traceId: string }): string {
  return `00-${traceId}-${hexOf(id).slice(-LENGTH_OF_A_SPAN_ID)}-01`;
}

function hexOf(id: string): string {
  return id.replaceAll('-', '');
}
