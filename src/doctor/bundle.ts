import { open } from 'node:fs/promises';
import type { Client } from 'pg';
import type { Settings } from '../config/settings.js';
import type { Finding } from './finding.js';
import { shownSettings, withoutSecrets } from './shown-settings.js';

/** The owner alone may read it. */
const MODE = 0o600;

/** Data for support, each as a statement. No row of a table of ours is in it, and no text of a statement. */
const STATEMENTS = {
  server: `SELECT version() AS version, current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_standby,
    pg_size_pretty(pg_database_size(current_database())) AS size`,
  parameters: `SELECT name, setting, unit FROM pg_settings
    WHERE source NOT IN ('default', 'override', 'client') AND name ~ '^(max_|shared_|work_mem|maintenance_|effective_|wal_|checkpoint_|autovacuum|random_page|synchronous_commit|default_|idle_|lock_|statement_|timezone|jit|hot_standby|vacuum_|track_|log_min_duration)'
    ORDER BY name`,
  migrations: 'SELECT name FROM migrations ORDER BY id',
  tables: `SELECT relname AS name, n_live_tup AS live_rows, n_dead_tup AS dead_rows, pg_total_relation_size(relid) AS bytes,
      last_autovacuum, last_autoanalyze
    FROM pg_stat_user_tables WHERE schemaname = current_schema() ORDER BY bytes DESC`,
  activity: `SELECT application_name, state, wait_event_type, wait_event, count(*)::int AS connections,
      max(extract(epoch FROM clock_timestamp() - xact_start))::float8 AS longest_transaction_seconds
    FROM pg_stat_activity WHERE datname = current_database() GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
  waiting_locks: `SELECT locktype, mode, relation::regclass::text AS relation, count(*)::int AS count FROM pg_locks
    WHERE NOT granted GROUP BY 1, 2, 3`,
};

export interface BundleContents {
  readonly version: string;
  readonly findings: readonly Finding[];
  readonly settings: Settings | undefined;
  /** Absent: the database can't be reached. */
  readonly client: Client | undefined;
  /** Absent: the telemetry has no database of its own, or it can't be reached. */
  readonly telemetry: Client | undefined;
  readonly secrets: readonly string[];
}

/** Writes what support needs to know into a new file, without a secret. @throws where the file exists or can't be made */
export async function writeBundle(path: string, contents: BundleContents): Promise<void> {
  const { version, findings, settings, client, telemetry, secrets } = contents;
  const bundle = {
    made_at: new Date().toISOString(),
    program: { version, node: process.version, platform: process.platform, arch: process.arch },
    findings,
    settings: settings && shownSettings(settings),
    database: client && (await databaseState(client)),
    telemetry_database: telemetry && (await databaseState(telemetry)),
  };
  const file = await open(path, 'wx', MODE);
  try {
    await file.writeFile(`${withoutSecrets(JSON.stringify(bundle, null, 2), secrets)}\n`);
  } finally {
    await file.close();
  }
}

async function databaseState(client: Client): Promise<Readonly<Record<string, unknown>>> {
  const state: Record<string, unknown> = {};
  for (const [name, statement] of Object.entries(STATEMENTS)) {
    try {
      state[name] = (await client.query(statement)).rows;
    } catch (error) {
      state[name] = { error: (error as Error).message };
    }
  }
  return state;
}
