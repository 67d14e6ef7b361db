import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { clientOptions, dataSourceOptions, type DataSourceSettings } from './data-source-options.js';
import { ADVISORY_LOCKS } from './advisory-locks.js';

/** How often an instance asks whether it is its turn. */
const TURN_POLL_MS = 200;

/**
 * Brings the schema up to date, one instance at a time. Runs on connections of its own, without the time limit
 * that requests have: a migration of a large table may take long.
 */
export async function migrate(settings: DataSourceSettings, signal?: AbortSignal): Promise<void> {
  const client = new Client(clientOptions(settings.target));
  client.on('error', () => undefined);
  await client.connect();
  try {
    await takeTurn(client, signal);
    const options = dataSourceOptions({ ...settings, poolSize: 2 });
    const dataSource = await new DataSource({
      ...options,
      extra: { ...clientOptions(settings.target), max: 2 },
    }).initialize();
    try {
      await dataSource.runMigrations();
    } finally {
      await dataSource.destroy();
    }
  } finally {
    await client.end();
  }
}

/**
 * Asks for the lock until it is free. A statement that waits for it would hold a snapshot, and the CREATE INDEX CONCURRENTLY
 * of the instance whose turn it is waits for every older snapshot: both would wait for ever.
 *
 * @throws AbortError
 */
async function takeTurn(client: Client, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isMine: boolean }>('SELECT pg_try_advisory_lock($1) AS "isMine"', [
      ADVISORY_LOCKS.migration,
    ]);
    if (rows[0]?.isMine) return;
    await delay(TURN_POLL_MS, undefined, { signal });
  }
}
