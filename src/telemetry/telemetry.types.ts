import type { AgentLogEntity } from './agent-log.entity.js';
import type { AgentMetricEntity } from './agent-metric.entity.js';
import type { LogLevel } from './log-level.js';
import type { SubmittedLog } from './log-submission.js';
import type { SubmittedMetric } from './metric-submission.js';

/** The place of an entry, which the service adds to what the agent sent. */
interface Placed {
  readonly id: string;
  readonly agentId: string;
  /** Null: it names none, and belongs to the agent's only active one, if there is exactly one. */
  readonly deploymentId: string | null;
}

export type NewLog = Omit<SubmittedLog, 'path'> & Placed;
export type NewMetric = Omit<SubmittedMetric, 'path'> & Placed;

/** The rows of one request: stored as a whole or not at all. */
export interface TelemetryBatch<Row> {
  readonly rows: readonly Row[];
  /** Null: it came without an `Idempotency-Key`, and is stored each time it comes. */
  readonly key: BatchKey | null;
}

export interface BatchKey {
  readonly agentId: string;
  /** Hash of the agent and its key, so no two agents share one. */
  readonly keyHash: Buffer;
  /** Hash of the request: two that differ in it are not the same batch. */
  readonly fingerprint: Buffer;
}

/** `repeated`: it had been stored before. `refused`: another batch was stored under its key. */
export type BatchOutcome = 'stored' | 'repeated' | 'refused';

export type StoredLog = Omit<AgentLogEntity, 'transactionId'>;
export type StoredMetric = AgentMetricEntity;

/** The agent or the deployment whose rows are read. */
export type TelemetrySource = { readonly agentId: string } | { readonly deploymentId: string };

/** Absent: not filtered by it. */
export interface TimeFilter {
  /** Inclusive. */
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
}

export interface LogFilter extends TimeFilter {
  readonly level?: LogLevel;
  /** This level and the more severe ones. */
  readonly minLevel?: LogLevel;
  /** The number in the entry's metadata. */
  readonly replica?: number;
  /** Part of the message, in whatever case. */
  readonly text?: string;
}

/** Agents of an owner; absent: not filtered by it. */
export interface AgentSelection {
  readonly agentIds?: readonly string[];
  /** The agent has all of them. */
  readonly labels?: readonly Readonly<Record<string, string>>[];
}

export type NamedLog = StoredLog & { readonly agentName: string };

export interface BucketRequest {
  /** Inclusive. */
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
  readonly seconds: number;
}

/** A measurement within a bucket: its range and mean, or how much a counter has risen. */
export interface BucketValue {
  readonly bucket: string;
  readonly kind: 'cpu_usage' | 'memory_usage' | 'custom' | 'requests' | 'errors';
  /** Name of a measurement of the agent's own; else empty. */
  readonly name: string;
  readonly min: number | null;
  readonly mean: number | null;
  readonly max: number | null;
  readonly rise: number | null;
}
