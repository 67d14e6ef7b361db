import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { clientOptions, dataSourceOptions, type DataSourceSettings } from './data-source-options.js';
import { ADVISORY_LOCKS } from './advisory-locks.js';

/**
 * Brings the schema up to date, one instance at a time. Runs on connections of its own, without the time limit
 * that requests have: a migration of a large table may take long.
 */
export async function migrate(settings: DataSourceSettings): Promise<void> {
  const client = new Client(clientOptions(settings.target));
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
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
