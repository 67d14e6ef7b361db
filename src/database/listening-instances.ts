import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** Names of the connection with which an instance of the role `api`, or one without it, listens in each of its databases. */
export const API_LISTENER = 'agent-control-plane api';
export const JOBS_LISTENER = 'agent-control-plane jobs';
/**
 * Maximum time between two statements of a listener, which sends four a second; one that has sent none for longer is
 * suspended; seconds.
 */
const SILENCE_SECONDS = 5;

/**
 * Seconds for which an instance that serves the API has been connected, the longest of those that are not suspended. By
 * hand: no entity describes PostgreSQL's views.
 *
 * @returns undefined if there is none
 */
export async function secondsServed(connection: Connection): Promise<number | undefined> {
  const [row] = await rowsOf<{ seconds: number | null }>(
    connection,
    `SELECT extract(epoch FROM clock_timestamp() - min(backend_start))::float8 AS seconds FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = $1
       AND state_change > clock_timestamp() - make_interval(secs => $2)`,
    [API_LISTENER, SILENCE_SECONDS],
  );
  return row?.seconds ?? undefined;
}
