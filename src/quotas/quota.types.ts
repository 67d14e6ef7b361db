/** The limits for a day. */
export const QUOTA_KINDS = ['logs', 'metrics', 'spans', 'config_bytes', 'config_versions'] as const;
export type QuotaKind = (typeof QUOTA_KINDS)[number];

/** The holder of a limit. */
export const QUOTA_SCOPES = ['agent', 'project'] as const;
export type QuotaScope = (typeof QUOTA_SCOPES)[number];

/** The agent that something is stored for, and the project that owns it. */
export interface QuotaOwner {
  readonly agentId: string;
  readonly projectId: string;
}

/** A subject of limits. */
export interface QuotaSubject {
  readonly scope: QuotaScope;
  /** The id of the agent or of the project. */
  readonly subjectId: string;
  /** The project itself, or the agent's. */
  readonly projectId: string;
  readonly kind: QuotaKind;
}

/** The use of a subject today. */
export interface QuotaUse extends QuotaSubject {
  readonly amount: number;
  readonly limit: number;
  /** Since when more is refused; null: it is not. */
  readonly refusedSince: string | null;
}

/** A limit that an agent or a project has reached today. */
export interface ExceededQuota extends QuotaUse {
  readonly refusedSince: string;
  /** Null: it is the limit of a project. */
  readonly agentName: string | null;
}
