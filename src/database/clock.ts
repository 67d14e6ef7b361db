import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/**
 * An item of FROM with the time of the database's clock, `clock.at`, for an UPDATE that decides by it in CASE or COALESCE, and for
 * RETURNING. A server in front of several others refuses `now()` in those: decision 0103.
 */
export const CLOCK = '(VALUES (now())) AS clock (at)';

/**
 * SQL for a time before or after another one, `shifted('now()', '+', 'make_interval(secs => timeout_seconds)')`. PostgreSQL computes
 * with a `timestamptz` by the session's time zone, so a server in front of several others refuses that with a column in it: decision
 * 0103. In UTC it is the same everywhere, and the same as in the service's sessions.
 */
export function shifted(time: string, direction: '+' | '-', interval: string): string {
  return `(${time} AT TIME ZONE 'UTC' ${direction} ${interval}) AT TIME ZONE 'UTC'`;
}

/** Gives an UPDATE of TypeORM, which has no FROM, the time of {@link CLOCK}. Nothing that it sets may have a WHERE. */
export function withClock(update: string): string {
  return update.replace(' WHERE ', ` FROM ${CLOCK} WHERE `);
}

/** The time of the database's clock, which is the same for all instances; in a transaction, that of its beginning. */
export async function databaseTime(connection: Connection): Promise<string> {
  const [row] = await rowsOf<{ now: string }>(connection, 'SELECT now() AS now');
  return row!.now;
}
