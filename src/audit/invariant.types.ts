/** Something that must hold of the data at any time, with a statement that finds where it does not. */
export interface Invariant {
  /** Lower case and hyphens; stable, so that a script can look for it. */
  readonly name: string;
  /** The invariant, in one sentence. */
  readonly sentence: string;
  /**
   * A SELECT of one column, `id`: the offenders, none where the invariant holds. It may read the row `bounds`, whose
   * columns are those of {@link AuditBounds}.
   */
  readonly statement: string;
}

/** Times that the statements use. All in seconds. */
export interface AuditBounds {
  /** How long a service has been connected to the database; 0 where none is. Only a running one can be late. */
  readonly runningSeconds: number;
  /** How much later than promised something may be done before it counts as forgotten. */
  readonly marginSeconds: number;
  /** History that is younger than this must be complete; what is older may have been deleted. */
  readonly historySeconds: number;
}

/** The audit's result for one invariant. */
export interface Finding {
  readonly name: string;
  readonly sentence: string;
  /** How many offenders there are; null where the statement failed. */
  readonly count: number | null;
  /** The first ten of them. */
  readonly ids: readonly string[];
  /** Why the invariant could not be checked. */
  readonly problem?: string;
}
