import { readdirSync, readFileSync } from 'node:fs';

/** The tokens of a call or of several, in disjoint buckets. */
export interface ExpectedTokens {
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Usage of a model within a run, or in metrics. */
export interface ExpectedUsage {
  readonly model: string;
  readonly provider: string | null;
  readonly llm_calls: number;
  /** Null: no call reported its tokens. */
  readonly tokens: ExpectedTokens | null;
  /** Null: no call reported its cost. */
  readonly cost_usd: number | null;
}

export interface ExpectedRun {
  readonly trace_id: string;
  readonly run_id: string | null;
  readonly conversation_id: string | null;
  /** True if the root came. */
  readonly is_ended: boolean;
  /** Usage of the root; null: it never came. */
  readonly status: string | null;
  readonly tool_calls: number;
  readonly tool_errors: number;
  readonly usage: readonly ExpectedUsage[];
}

/** Fields of a span that a dialect is about; `has_fingerprint` means that the loop detection can recognise its call. */
export type ExpectedSpan = Readonly<Record<string, unknown>> & {
  readonly span_id: string;
  readonly kind: string;
  readonly tokens?: ExpectedTokens | null;
};

export interface Dialect {
  readonly name: string;
  /** Exports in JSON, in the order in which they arrive. */
  readonly traces: readonly unknown[];
  /** Exports of metrics. */
  readonly metrics: readonly unknown[];
  readonly expected: {
    readonly about: string;
    readonly runs: readonly ExpectedRun[];
    readonly spans: readonly ExpectedSpan[];
    /** Ids of spans that are neither of models, agents and tools, nor a root, nor failed. */
    readonly left_out: readonly string[];
    /** The sums in the metrics. */
    readonly metrics?: readonly ExpectedUsage[];
  };
}

const FOLDER = 'test/otlp/dialects';

/**
 * Exports as instrumentations write them, each with the runs, spans, tokens and cost that must come of it. Messages
 * of people, models and tools contain the word `secret`.
 */
export function dialects(): Dialect[] {
  return readdirSync(FOLDER).map((name) => {
    const files = readdirSync(`${FOLDER}/${name}`).sort();
    const read = (file: string) => JSON.parse(readFileSync(`${FOLDER}/${name}/${file}`, 'utf8')) as unknown;
    return {
      name,
      traces: files.filter((file) => file.startsWith('traces-')).map(read),
      metrics: files.filter((file) => file.startsWith('metrics-')).map(read),
      expected: read('expected.json') as Dialect['expected'],
    };
  });
}
