import { Client } from 'pg';
import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/** Number of the advisory lock that delays insertions. */
const GATE = 4_711;

/** Name of the connection that holds a lock for the test. */
const HOLDER = 'lock of a test';

/**
 * Counts the sessions that wait for the lock of {@link whileHeld} or {@link whileGated}, also those behind one that
 * does. Other waiting sessions are not counted: partitions are created when an instance has started, and statements
 * wait for that too.
 */
export async function waitingForLocks(database: Pick<TestDatabase, 'query'>): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `WITH RECURSIVE held_up AS (
       SELECT pid, true AS is_holder FROM pg_stat_activity
       WHERE application_name = $1 AND datname = current_database()
       UNION
       SELECT waiting.pid, false FROM pg_stat_activity AS waiting
       JOIN held_up ON held_up.pid = ANY (pg_blocking_pids(waiting.pid))
       WHERE waiting.datname = current_database()
     )
     SELECT count(*)::int AS count FROM held_up WHERE NOT is_holder`,
    [HOLDER],
  );
  return row!.count;
}

export async function untilSomeoneWaits(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await until(async () => (await waitingForLocks(database)) > 0);
}

/** Runs `work` while a transaction of the test holds `lock`; `release` releases it before its end. */
export async function whileHeld(
  database: Pick<TestDatabase, 'target'>,
  lock: string,
  work: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const holder = new Client({ ...database.target, application_name: HOLDER });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    await work(async () => {
      await holder.query('COMMIT');
    });
  } finally {
    await holder.end();
  }
}

/**
 * Runs `work` while insertions into one of the `tables` are delayed; `open` lets them continue.
 *
 * @param at right after the insertion, or at the commit
 */
export async function whileGated(
  database: TestDatabase,
  tables: string | readonly string[],
  at: 'insertion' | 'commit',
  work: (open: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const triggers = [tables].flat().map(
    (table) =>
      `CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON ${table}
       ${at === 'commit' ? 'DEFERRABLE INITIALLY DEFERRED' : 'NOT DEFERRABLE'}
       FOR EACH ROW EXECUTE FUNCTION pass_gate()`,
  );
  await database.query(
    `CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN NULL; END $$;
     ${triggers.join(';')}`,
  );
  try {
    await whileHeld(database, `SELECT pg_advisory_xact_lock(${GATE})`, work);
  } finally {
    await database.query('DROP FUNCTION pass_gate CASCADE');
  }
}
