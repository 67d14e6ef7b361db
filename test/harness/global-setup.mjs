import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../dist/src/database/transaction.js';
import { dataSourceOptions } from '../../dist/src/database/data-source-options.js';
import { startEmbeddedPostgres } from '../../dist/src/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../dist/src/database/migrate.js';
import { migrations } from '../../dist/src/schema-migrations.js';
import { entities } from '../../dist/src/schema.js';
import { missingPartitions, TELEMETRY_TABLES } from '../../dist/src/telemetry/telemetry-partitions.js';
import { TelemetryPartitionsRepository } from '../../dist/src/telemetry/telemetry-partitions.repository.js';
import { TEMPLATE_DATABASE, withAdmin } from './cluster.mjs';
import { startInstalledPostgres } from './installed-postgres.mjs';

const IN_MEMORY = '/dev/shm';
/** Minimum of free memory for data in memory, bytes. A whole run needs less than half of it. */
const ENOUGH_MEMORY = 4 * 1024 ** 3;

/**
 * One PostgreSQL for the whole run, with one migrated database that every suite copies. It runs from the built files,
 * because Jest loads this outside its module system. Nothing outlives the run, so writes need not wait for the disk.
 * `TEST_POSTGRES_VERSION=15 npm test` uses the machine's PostgreSQL 15 instead of the embedded one;
 * `TEST_POSTGRES_HOME` is its folder, unless it is Debian's.
 */
export default async function globalSetup() {
  const dataDir = await mkdtemp(join(await parentFolder(), 'control-plane-test-'));
  // For root, PostgreSQL runs as another user, who has to enter.
  await chmod(dataDir, 0o711);
  const installed = Number(process.env.TEST_POSTGRES_VERSION ?? 0);
  const parameters = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    // limits the memory for the log
    max_wal_size: '256MB',
  };
  const server = installed
    ? await startInstalledPostgres(installed)
    : await startEmbeddedPostgres({ dataDir, log: () => undefined, parameters });
  globalThis.testServer = { server, dataDir };
  process.env.TEST_CLUSTER = JSON.stringify(server.connection);
  await withAdmin((client) => client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`));
  const target = { ...server.connection, database: TEMPLATE_DATABASE };
  await migrate({ target, entities, migrations });
  await makePartitions(target);
}

/** Otherwise the service would create them in each copy: DDL, and then new plans on all of its connections. */
async function makePartitions(target) {
  const partitions = new TelemetryPartitionsRepository();
  const dataSource = await new DataSource(dataSourceOptions({ target, poolSize: 1 })).initialize();
  for (const table of TELEMETRY_TABLES) {
    for (const partition of missingPartitions(table, [], new Date()))
      await inTransaction(dataSource.manager, (tx) => partitions.create(tx, table, partition));
  }
  await dataSource.destroy();
}

/**
 * A folder in memory if there is enough. Each suite creates and drops a database of 340 files, and ext4 searches for a
 * free inode past all that were deleted within the last minutes: up to 160 ms of processor time for each database
 * instead of 20.
 */
async function parentFolder() {
  const { bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_MEMORY ? IN_MEMORY : tmpdir();
}
