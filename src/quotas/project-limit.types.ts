import { QUOTA_KINDS } from './quota.types.js';

/** Kinds of limits of one project: of its agents, of its webhooks, and of what is stored for it in a day. */
export const PROJECT_LIMIT_KINDS = ['agents', 'webhooks', ...QUOTA_KINDS] as const;
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

/** A limit of a project, and what is used of it. */
export interface ProjectLimit {
  readonly kind: ProjectLimitKind;
  /** The limit in force; null: there is none. */
  readonly limit: number | null;
  /** The project's own one; null: that of the installation is in force. */
  readonly ownLimit: number | null;
  /** Null: nothing is counted, because there is no limit. */
  readonly used: number | null;
}
