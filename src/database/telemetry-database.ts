import { Database } from './database.js';

/**
 * The database of logs, metrics, spans and the keys of their batches: `TELEMETRY_DATABASE_URL`, or the same object as
 * {@link Database}. No statement reads tables of both.
 */
export abstract class TelemetryDatabase extends Database {
  /** True if telemetry has a database of its own, so that no transaction spans it and the main one. */
  abstract readonly isApart: boolean;
}
