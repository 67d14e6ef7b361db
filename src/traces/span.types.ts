import type { Capture } from '../agents/agent-settings.types.js';

export const SPAN_KINDS = ['agent', 'llm', 'tool', 'retrieval', 'embedding', 'other'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export const SPAN_STATUSES = ['unset', 'ok', 'error'] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];

/** The conditions under which spans are stored: those of models, agents and tools, roots and failures, or all. */
export type TraceDetail = 'genai' | 'all';

/** How an export is read. */
export interface TraceReading {
  readonly detail: TraceDetail;
  readonly capture: Capture;
}

/** Disjoint buckets; 0 where nothing is said. `reasoningTokens` alone are also part of `outputTokens`. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** A span as an export has it. */
export interface SubmittedSpan {
  /** The span's place in the export, for messages: `resourceSpans.0.scopeSpans.0.spans.3.`. */
  readonly path: string;
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** True if nothing of this program is above it: it has no parent, or a remote one. */
  readonly isRoot: boolean;
  /** The id as the agent sent it. Ownership is not verified yet. */
  readonly runId: string | null;
  /** As {@link runId}. */
  readonly deploymentId: string | null;
  readonly conversationId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly status: SpanStatus;
  /** Null unless the span failed. */
  readonly errorType: string | null;
  /** Null unless the span failed. */
  readonly errorMessage: string | null;
  /** Its start. */
  readonly timestamp: Date;
  /** A whole number that fits in an integer of PostgreSQL. */
  readonly durationMs: number;
  readonly model: string | null;
  readonly provider: string | null;
  readonly tool: string | null;
  /** Null: it is no call of a model, or says nothing of tokens. */
  readonly tokens: TokenUsage | null;
  /** Cost of a call of a model as the emitter reports it; null: not reported. */
  readonly costUsd: number | null;
  /** True if the span counts as a call of a model: it is not the wrapper of another one of the export. */
  readonly isLlmCall: boolean;
  /** As {@link isLlmCall}. */
  readonly isToolCall: boolean;
  /**
   * The same 16 bytes for the same tool, arguments and result, for the detection of loops. Null: no call of a tool,
   * or its arguments or its result are not reported.
   */
  readonly toolFingerprint: Buffer | null;
  /** JSON text of an object without content. */
  readonly attributes: string | null;
  /** JSON text of a list of `{name, timestamp, attributes}` without content. */
  readonly events: string | null;
  /** JSON text of `{attributes?, events?, dropped_events?}` with the content that `capture` keeps, which is to be sealed. */
  readonly content: string | null;
  /** Number of spans of the export in this entry: 1. */
  readonly size: number;
}
