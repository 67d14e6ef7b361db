import type { QueryResultRow } from 'pg';

type Query = <Row extends QueryResultRow>(statement: string, parameters?: unknown[]) => Promise<Row[]>;

/** Result of a shutdown of the service. */
export interface Ending {
  readonly exitCode: number | null;
  readonly tookMs: number;
}

/** The service under test, wherever it runs. */
export interface Stage {
  /** The instance that people use. */
  readonly userUrl: string;
  /** The instances that agents use; each agent one of them. */
  readonly agentUrls: readonly string[];
  /** Runs a statement directly in the database. */
  readonly query: Query;
  /** As `query`, in the database of telemetry; absent: it is the same one. */
  readonly queryTelemetry?: Query;
  /** Kills the first of the agents' instances without warning and starts it again; where it is a process. */
  readonly restart?: (outageMs: number) => Promise<void>;
  /** Tells all instances to end, and waits; where they are processes. */
  readonly shutDown?: () => Promise<Ending[]>;
}
