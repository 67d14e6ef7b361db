import type { SubmittedSpan } from '../span.types.js';

/** Spans of one export by their trace id and span id together. */
export type SpansById = ReadonlyMap<string, SubmittedSpan>;

/**
 * Counts a call once where two instrumentations report it, one around the other, such as that of a framework and that
 * of the provider's library. The inner one of two calls of a model counts if it reports tokens, else the outer one.
 * The outer one of two calls of a tool counts. A tool's span without a name takes that of the tool around it.
 */
export function settleNesting(spans: SpansById): SubmittedSpan[] {
  const uncounted = new Set<SubmittedSpan>();
  for (const span of spans.values()) {
    const parent = parentOf(span, spans);
    if (parent?.kind !== span.kind) continue;
    if (span.isLlmCall && parent.isLlmCall) {
      uncounted.add(span.tokens === null && parent.tokens !== null ? span : parent);
    } else if (span.isToolCall && parent.isToolCall && span.tool === parent.tool) uncounted.add(span);
  }
  return [...spans.values()].map((span) => {
    if (uncounted.has(span))
      return { ...span, isLlmCall: false, isToolCall: false, tokens: null, costUsd: null };
    if (span.kind !== 'tool' || span.tool !== null) return span;
    const parent = parentOf(span, spans);
    return parent?.kind === 'tool' ? { ...span, tool: parent.tool } : span;
  });
}

function parentOf(span: SubmittedSpan, spans: SpansById): SubmittedSpan | undefined {
  if (span.parentSpanId === null || span.parentSpanId === span.spanId) return undefined;
  return spans.get(`${span.traceId}${span.parentSpanId}`);
}
