import { QUOTA_KINDS } from './quota.types.js';

/** Days that a project may shorten, never lengthen: whole days are dropped for all projects at once. */
export const RETENTION_KINDS = ['log_days', 'metric_days', 'span_days', 'run_days'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/**
 * Kinds of limits of one project: of its agents, webhooks and schedules, of the runs that are queued for each of its
 * agents, of the data stored for it in a day, and of how long it is kept.
 */
export const PROJECT_LIMIT_KINDS = [
  'agents',
  'webhooks',
  'schedules',
  'queued_runs',
  ...QUOTA_KINDS,
  ...RETENTION_KINDS,
] as const;
export type ProjectLimitKind = (typeof PROJECT_LIMIT_KINDS)[number];

/** A limit that a project has for itself. */
export interface OwnLimit {
  readonly projectId: string;
  readonly kind: ProjectLimitKind;
  /** Null: it was taken away, and the installation's holds. */
  readonly maximum: number | null;
}

/** Limits to be changed. Null: the installation's holds from now on. */
export type LimitChanges = Readonly<Partial<Record<ProjectLimitKind, number | null>>>;

/** A limit of a project, and its use. */
export interface ProjectLimit {
  readonly kind: ProjectLimitKind;
  /** The limit in force; null: there is none. */
  readonly limit: number | null;
  /** The project's own one; null: that of the installation is in force. */
  readonly ownLimit: number | null;
  /** Null: nothing is counted, because there is no limit, or it is one of days or of each agent. */
  readonly used: number | null;
}

/** A project that keeps something for its own number of days. */
export interface OwnRetention {
  readonly projectId: string;
  readonly days: number;
}

/** An agent of a project that keeps something for its own number of days. What is absent is kept as long as the installation keeps it. */
export interface AgentWithOwnRetention {
  readonly projectId: string;
  readonly agentId: string;
  readonly days: Readonly<Partial<Record<RetentionKind, number>>>;
}
