import { Client } from 'pg';
import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/** Of the advisory lock on which an insertion is held up. */
const GATE = 4_711;

/** How many statements wait for a lock. */
export async function waitingForLocks(database: TestDatabase): Promise<number> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  return (await database.query(waiting)).length;
}

export async function untilSomeoneWaits(database: TestDatabase): Promise<void> {
  await until(async () => (await waitingForLocks(database)) > 0);
}

/** Runs `work` while a transaction of the test's own holds `lock`; `release` lets go before its end. */
export async function whileHeld(
  database: TestDatabase,
  lock: string,
  work: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const holder = new Client(database.target);
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
 * Runs `work` while whatever inserts into `table` is held up; `open` lets it go on.
 *
 * @param at right after the insertion, or at the commit
 */
export async function whileGated(
  database: TestDatabase,
  table: string,
  at: 'insertion' | 'commit',
  work: (open: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await database.query(
    `CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN NULL; END $$;
     CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON ${table}
       ${at === 'commit' ? 'DEFERRABLE INITIALLY DEFERRED' : 'NOT DEFERRABLE'}
       FOR EACH ROW EXECUTE FUNCTION pass_gate()`,
  );
  try {
    await whileHeld(database, `SELECT pg_advisory_xact_lock(${GATE})`, work);
  } finally {
    await database.query('DROP FUNCTION pass_gate CASCADE');
  }
}
