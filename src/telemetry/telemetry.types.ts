import type { AgentLogEntity } from './agent-log.entity.js';
import type { AgentMetricEntity } from './agent-metric.entity.js';
import type { LogLevel } from './log-level.js';
import type { SubmittedLog } from './log-submission.js';
import type { SubmittedMetric } from './metric-submission.js';

/** The fields that the service adds to an entry. */
interface Placed {
  readonly id: string;
  readonly agentId: string;
  /** Null: the entry has none, and belongs to the agent's only active deployment, if there is exactly one. */
  readonly deploymentId: string | null;
}

export type NewLog = Omit<SubmittedLog, 'path'> & Placed;
export type NewMetric = Omit<SubmittedMetric, 'path'> & Placed;

/** The rows of one request: stored as a whole or not at all. */
export interface TelemetryBatch<Row> {
  readonly rows: readonly Row[];
  /** Null: the batch has no `Idempotency-Key`, and is stored again at each repetition. */
  readonly key: BatchKey | null;
}

export interface BatchKey {
  readonly agentId: string;
  /** Hash of the agent and its key, so that two agents never share one. */
  readonly keyHash: Buffer;
  /** Hash of the request: batches with different hashes are different. */
  readonly fingerprint: Buffer;
}

/** Outcome of a batch. `repeated`: it had been stored before. `refused`: another batch was stored under its key. */
export type BatchOutcome = 'stored' | 'repeated' | 'refused';

export type StoredLog = Omit<AgentLogEntity, 'position' | 'transactionId'>;
export type StoredMetric = AgentMetricEntity;

/** The agent or the deployment of the rows. */
export type MeasuredSource = { readonly agentId: string } | { readonly deploymentId: string };
/** The agent, the deployment or the run of the rows. */
export type TelemetrySource = MeasuredSource | { readonly runId: string };

/**
 * The place of an entry in a list. An id is not enough: lists are in the order of the entries' times, which agents
 * set.
 */
export interface EntryPlace {
  readonly id: string;
  readonly timestamp: string;
  /** The same time with all its digits, as PostgreSQL writes it. */
  readonly exactTime: string;
}

/** Range of times; an absent end does not limit. */
export interface TimeFilter {
  /** Inclusive. */
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
  /** Only entries that come after this place in the list. */
  readonly behind?: EntryPlace;
}

export interface LogFilter extends TimeFilter {
  readonly level?: LogLevel;
  /** Minimum level. */
  readonly minLevel?: LogLevel;
  /** The number in the entry's metadata. */
  readonly replica?: number;
  /** Part of the message, in any case. */
  readonly text?: string;
}

/** Selection among the agents of the caller's projects; an absent part does not limit. */
export interface AgentSelection {
  readonly projectId?: string;
  readonly agentIds?: readonly string[];
  /** Labels; an agent must have all of them. */
  readonly labels?: readonly Readonly<Record<string, string>>[];
}

export type NamedLog = StoredLog & { readonly agentName: string };

export interface BucketRequest {
  /** Inclusive. */
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
  readonly seconds: number;
  /** A text in the names of the agent's own measurements that are wanted; empty: all. */
  readonly named: string;
}

/** A measurement within a bucket: its range, its mean and its increase. */
export interface BucketValue {
  readonly bucket: string;
  readonly kind: 'cpu_usage' | 'memory_usage' | 'custom' | 'requests' | 'errors';
  /** Name of a measurement of the agent's own; else empty. */
  readonly name: string;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  /** Null for CPU and memory, which are no totals. */
  readonly rise: number | null;
  /** How many measurements of the agent's own have such a name in the range; null: none. */
  readonly names: number | null;
}
