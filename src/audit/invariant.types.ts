/** How an invariant of telemetry and of the main tables is checked where they are in two databases. */
export interface AcrossDatabases {
  /**
   * A SELECT of one text column, `key`, from the telemetry database: rows that have to be compared with the main
   * one.
   */
  readonly keys: string;
  /** A SELECT of one column, `id`, from the main database: the violating ones among the keys `$1`, a text[]. */
  readonly offenders: string;
}

/** A condition that the data must always meet, with a statement that finds violating rows. */
export interface Invariant {
  /** Lower case and hyphens; stable, so that a script can search for it. */
  readonly name: string;
  readonly sentence: string;
  /**
   * A SELECT of one column, `id`: the violating rows, none if the invariant holds. It may read the row `bounds`, whose
   * columns are those of {@link AuditBounds}.
   */
  readonly statement: string;
  /** Absent: it reads only main tables. `alone`: only those of telemetry. */
  readonly telemetry?: 'alone' | AcrossDatabases;
}

/** Times that the statements use. All in seconds. */
export interface AuditBounds {
  /** Seconds for which a service has been connected; 0 if none is. Work can be late only while a service runs. */
  readonly runningSeconds: number;
  /** Delay after which late work counts as never done. */
  readonly marginSeconds: number;
  /** Age up to which history must be complete; older history may have been deleted. */
  readonly historySeconds: number;
  /** Age up to which the audit log must be complete. */
  readonly auditSeconds: number;
}

export interface Finding {
  readonly name: string;
  readonly sentence: string;
  /** Number of violating rows; null if the statement failed. */
  readonly count: number | null;
  readonly ids: readonly string[];
  readonly problem?: string;
}
