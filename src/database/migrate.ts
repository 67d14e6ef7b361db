import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { clientOptions, dataSourceOptions, type DataSourceSettings } from './data-source-options.js';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { requireSupportedVersion } from './postgres-version.js';

/**
 * Brings the schema up to date, one instance at a time. Runs on connections of its own, without the time limit
 * that requests have: a migration of a large table may take long.
 *
 * @throws UnusableDatabaseError if the server is too old
 */
export async function migrate(settings: DataSourceSettings): Promise<void> {
  // The role may have limits of its own, for connections that come through a pooler.
  const session = {
    ...clientOptions(settings.target),
    options:
      '-c timezone=UTC -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
  };
  const client = new Client(session);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await requireSupportedVersion(client);
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    const options = dataSourceOptions({ ...settings, poolSize: 2 });
    const dataSource = await new DataSource({
      ...options,
      extra: { ...session, max: 2 },
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
