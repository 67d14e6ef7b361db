import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { PrimaryClient } from '../config/primary-client.js';
import {
  dataSourceOptions,
  type DataSourceSettings,
  type MigrationClass,
  unlimitedClientOptions,
} from './data-source-options.js';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { requireUsableServer, type UrlSetting } from './usable-database.js';

/** State of the schema, from one read of the table of migrations. */
interface SchemaState {
  readonly isCurrent: boolean;
  /** The role as which the service has connected. */
  readonly role: string;
  /** False if the schema belongs to another role, of which this one is no member. */
  readonly mayBeChanged: boolean;
}

async function schemaStateOf(client: Client, migrations: readonly MigrationClass[]): Promise<SchemaState> {
  const { rows: found } = await client.query<{
    role: string;
    exists: boolean;
    readable: boolean;
    changeable: boolean;
  }>(
    `SELECT current_user AS role, relowner IS NOT NULL AS exists,
       coalesce(has_table_privilege(oid, 'SELECT'), false) AS readable,
       coalesce(pg_has_role(relowner, 'USAGE'), has_schema_privilege(current_schema(), 'CREATE'), false) AS changeable
     FROM (SELECT to_regclass('migrations')) AS named (name) LEFT JOIN pg_class ON oid = name`,
  );
  const { role, exists, readable, changeable: mayBeChanged } = found[0]!;
  if (!exists || !readable) return { isCurrent: false, role, mayBeChanged };
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
  const executed = new Set(rows.map(({ name }) => name));
  return { isCurrent: migrations.every(({ name }) => executed.has(name)), role, mayBeChanged };
}

/** Interval in which an instance tries to get the lock. */
const TURN_POLL_MS = 200;

/**
 * Brings the schema up to date, one instance at a time. It uses separate connections without the time limit of
 * requests, because a migration of a large table may take long.
 *
 * @param settings with the setting that messages name
 * @throws UnusableDatabaseError if the server is too old, or the encoding of the database is not UTF-8
 */
export async function migrate(
  settings: DataSourceSettings & { readonly setting?: UrlSetting },
  signal?: AbortSignal,
): Promise<void> {
  const session = unlimitedClientOptions(settings.target);
  const client = new PrimaryClient(session);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await requireUsableServer(client, settings.setting);
    await takeTurn(client, signal);
    const schema = await schemaStateOf(client, settings.migrations ?? []);
    // nearly every start: TypeORM would open more connections to find the same
    if (schema.isCurrent) return;
    if (!schema.mayBeChanged) {
      throw new Error(
        `the schema is missing or older than this version, or the role ${schema.role} may not read it, and that role ` +
          `must not change it: run node dist/src/migrate.js --service-role ${schema.role} as the owner of the tables`,
      );
    }
    const dataSource = await new DataSource({
      ...dataSourceOptions(settings),
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

/**
 * Tries to get the lock until it is free. A statement that waits for it would hold a snapshot, and the CREATE INDEX
 * CONCURRENTLY of the instance that has the lock waits for every older snapshot: both would wait for ever.
 *
 * @throws AbortError
 */
export async function takeTurn(client: Client, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isMine: boolean }>('SELECT pg_try_advisory_lock($1) AS "isMine"', [
      ADVISORY_LOCKS.migration,
    ]);
    if (rows[0]?.isMine) return;
    await delay(TURN_POLL_MS, undefined, { signal });
  }
}
