import type { UsageBucket } from '../runs/usage.types.js';

/** The sources of usage, the most trusted last: of each agent and model only one is counted. */
export const USAGE_SOURCES = ['reports', 'metrics', 'spans'] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

/** Name under which the models of an agent are counted that are past its maximum. */
export const OTHER_MODELS = 'other';

/** The buckets of tokens. */
export type TokenBucket = Extract<UsageBucket, `${string}_tokens`>;

/** The amounts of one call or one report. */
export interface UsageEntry {
  readonly projectId: string;
  readonly agentId: string;
  /** Null: it belongs to no run. */
  readonly runId: string | null;
  readonly configVersion: number | null;
  /** Null: no model was called, or nobody said which. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly at: Date;
  /** The beginning of the time that it covers, which ends with `at`; null: it covers that moment. */
  readonly since: Date | null;
  readonly tokens: Readonly<Record<TokenBucket, number>>;
  readonly llmCalls: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  /** Millionths of a dollar, as the agent says; null: it does not. */
  readonly toldCostMicros: number | null;
}

/** An agent and one of its models; the empty text stands for no model. */
export interface ModelOfAgent {
  readonly agentId: string;
  readonly model: string;
}

/** The groupings of usage. */
export const USAGE_GROUPINGS = ['agent', 'model', 'config_version', 'project', 'day', 'hour'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];
