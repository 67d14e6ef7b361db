import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';
import { migrate } from '../../dist/src/database/migrate.js';
import { entities, migrations } from '../../dist/src/schema.js';
import { TEMPLATE_DATABASE, withAdmin } from './cluster.mjs';
import { startInstalledPostgres } from './installed-postgres.mjs';

/**
 * One PostgreSQL for the whole run, and in it one migrated database that every suite copies. It runs from the
 * built files, because Jest loads this outside its module system. Nothing here outlives the run, so the disk need
 * not be waited for. `TEST_POSTGRES_VERSION=15 npm test` runs everything on the PostgreSQL 15 of the machine instead of the
 * embedded one; `TEST_POSTGRES_HOME` says where that is, unless it is Debian's.
 */
export default async function globalSetup() {
  const dataDir = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  // As root PostgreSQL runs as another user, which has to pass here.
  await chmod(dataDir, 0o711);
  const installed = Number(process.env.TEST_POSTGRES_VERSION ?? 0);
  const parameters = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
  };
  const server = installed
    ? await startInstalledPostgres(installed)
    : await startEmbeddedPostgres({ dataDir, log: () => undefined, parameters });
  globalThis.testServer = { server, dataDir };
  process.env.TEST_CLUSTER = JSON.stringify(server.connection);
  await withAdmin((client) => client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`));
  await migrate({
    target: { ...server.connection, database: TEMPLATE_DATABASE },
    poolSize: 2,
    entities,
    migrations,
  });
}
