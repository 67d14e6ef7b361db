import type { Client } from 'pg';
import { PrimaryClient } from '../config/primary-client.js';
import { DatabaseNotFoundError } from '../config/running-database.js';
import type { Settings } from '../config/settings.js';
import { ConnectionPool } from '../database/connection-pool.js';
import { clientOptions, type DatabaseTarget } from '../database/data-source-options.js';
import { API_LISTENER, JOBS_LISTENER } from '../database/listening-instances.js';
import {
  failureToOpen,
  requirePoolerLimits,
  requireUsableServer,
  type UrlSetting,
  UnusableDatabaseError,
} from '../database/usable-database.js';
import { rowsOf } from '../database/sql.js';
import { type Finding, findingsOf } from './finding.js';

const database = findingsOf('database');
const pooler = findingsOf('pooler');
const connections = findingsOf('connections');
const clock = findingsOf('clock');

/** Connections of an instance besides its pools. */
const BESIDE_POOLS = 2;
const STATEMENT_MS = 15_000;
/** Replies to a measurement of the clock; the quickest one is the most exact. */
const MEASUREMENTS = 5;
/** Seconds by which the clocks may differ: tokens and one-time codes go by the service's clock, everything else by the database's. */
const NOTICEABLE = 2;
/** Seconds from which one-time codes are refused, and tokens end early or late. */
const TOO_FAR = 30;

export interface CheckedDatabase {
  /** A connection to the server itself, if it can be used; the caller ends it. */
  readonly client: Client | undefined;
  readonly findings: readonly Finding[];
}

/**
 * @param locate finds the database
 * @param names settings that say where it is
 * @param setting the one to change if the server can't be used
 */
export async function checkDatabase(
  locate: () => DatabaseTarget,
  names: string,
  setting?: UrlSetting,
): Promise<CheckedDatabase> {
  let client: Client | undefined;
  try {
    client = new PrimaryClient(clientOptions(locate()));
    client.on('error', () => undefined);
    const begun = performance.now();
    await client.connect();
    const tookMs = Math.round(performance.now() - begun);
    await requireUsableServer(client, setting);
    const { rows } = await client.query<{ version: string; is_standby: boolean }>(
      `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby`,
    );
    const { version, is_standby: isStandby } = rows[0]!;
    if (!isStandby)
      return {
        client,
        findings: [database.ok(`PostgreSQL ${version} took a connection within ${tookMs} ms`)],
      };
    await client.end();
    const finding = database.failed(
      `PostgreSQL ${version} is a standby, which accepts no writes`,
      'use an address that leads to the primary',
    );
    return { client: undefined, findings: [finding] };
  } catch (error) {
    await client?.end().catch(() => undefined);
    return { client: undefined, findings: [unreachable(error, names)] };
  }
}

function unreachable(error: unknown, names: string): Finding {
  if (error instanceof UnusableDatabaseError || error instanceof DatabaseNotFoundError) {
    return database.failed(error.message, 'the checks of clock, schema, rights and keys need the database');
  }
  return database.failed(
    `it can't be reached: ${failureToOpen(error)}`,
    `check ${names}, the network and the password; the checks of clock, schema, rights and keys need the database`,
  );
}

/** The pooler of `DATABASE_URL`, if there is one. */
export async function checkPooler(
  settings: Settings,
  direct: Client | undefined,
): Promise<readonly Finding[]> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl } = settings;
  if (directUrl === '') return [];
  const pool = new ConnectionPool('people', 1, STATEMENT_MS);
  try {
    await pool.open({ url, directUrl }, { viaPooler: true });
    await requirePoolerLimits(pool.manager);
    const [behind] = await rowsOf<{ identity: string }>(pool.manager, IDENTITY);
    const beside = await direct?.query<{ identity: string }>(IDENTITY);
    if (beside && beside.rows[0]?.identity !== behind?.identity) {
      return [
        pooler.failed(
          'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases',
          'use the pooler of the database that DATABASE_DIRECT_URL names',
        ),
      ];
    }
    return [pooler.ok('it leads to the same database, and its sessions have the time limits')];
  } catch (error) {
    if (error instanceof UnusableDatabaseError)
      return [pooler.failed(error.message, 'docs/postgresql.md, "Put PgBouncer before PostgreSQL"')];
    return [
      pooler.failed(
        `it can't be reached: ${failureToOpen(error)}`,
        "check DATABASE_URL, and the pooler's log",
      ),
    ];
  } finally {
    await pool.close();
  }
}

/** The same through a pooler and directly, and different for any two servers. */
const IDENTITY = `SELECT current_database() || ' of ' || extract(epoch FROM pg_postmaster_start_time()) AS identity`;

const MORE_CONNECTIONS = 'raise max_connections (or the limit of the role), or lower DATABASE_POOL_SIZE';

interface ConnectionCounts {
  /** Connections of the server without those that it reserves. */
  readonly most: number;
  readonly used: number;
  readonly of_role: number;
  /** -1: no limit. */
  readonly role_most: number;
  /** Running instances of this service. */
  readonly instances: number;
}

/** `reserved_connections` is there since PostgreSQL 16. */
const COUNTS = `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) AS most,
  (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
  (SELECT count(*)::int FROM pg_stat_activity WHERE usename = current_user) AS of_role,
  (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS role_most,
  (SELECT count(*)::int FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = ANY ($1)) AS instances`;

/**
 * Whether the running instances can fill their pools, and another instance finds connections. The pools of others are as
 * large as this one's settings say, because the database does not know their size.
 */
export async function checkConnections(client: Client, settings: Settings): Promise<readonly Finding[]> {
  const { rows } = await client.query<ConnectionCounts>(COUNTS, [[API_LISTENER, JOBS_LISTENER]]);
  const { most, used, of_role: ofRole, role_most: roleMost, instances } = rows[0]!;
  const needed = settings.DATABASE_POOL_SIZE + BESIDE_POOLS;
  const isOfRole = roleMost >= 0 && roleMost < most;
  const limit = isOfRole ? `the ${roleMost} of the role` : `the ${most} that max_connections leaves`;
  const free = Math.max(0, Math.min(most - used, roleMost < 0 ? Infinity : roleMost - ofRole));
  const [run, take] = instances === 1 ? ['1 instance runs', 'takes'] : [`${instances} instances run`, 'take'];
  const all = `${run} and ${take} up to ${instances * needed} connections`;
  const pools = `DATABASE_POOL_SIZE and ${BESIDE_POOLS}`;
  if (instances * needed > (isOfRole ? roleMost : most))
    return [connections.warn(`${all} (${pools} for each), more than ${limit}`, MORE_CONNECTIONS)];
  if (free < needed) {
    const message = `one more instance takes up to ${needed} connections (${pools}), and ${free} of ${limit} are free`;
    return [connections.warn(message, MORE_CONNECTIONS)];
  }
  return [
    connections.ok(`${all}; ${free} of ${limit} are free, and one more instance takes up to ${needed}`),
  ];
}

/** The clock of this machine next to that of the database. */
export async function checkClock(client: Client): Promise<readonly Finding[]> {
  const measured: { readonly tookMs: number; readonly aheadMs: number }[] = [];
  for (let count = 0; count < MEASUREMENTS; count++) {
    const begun = Date.now();
    const { rows } = await client.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    const tookMs = Date.now() - begun;
    measured.push({ tookMs, aheadMs: rows[0]!.ms - (begun + tookMs / 2) });
  }
  const { aheadMs } = measured.reduce((best, it) => (it.tookMs < best.tookMs ? it : best));
  const seconds = Math.abs(aheadMs) / 1_000;
  const which = aheadMs > 0 ? 'ahead of' : 'behind';
  if (seconds < NOTICEABLE)
    return [clock.ok(`the database's is ${seconds.toFixed(1)} s ${which} this machine's`)];
  const message = `the database's is ${seconds.toFixed(0)} s ${which} this machine's`;
  const next = 'synchronise both machines by NTP: timedatectl, chronyc tracking';
  return [seconds < TOO_FAR ? clock.warn(message, next) : clock.failed(message, next)];
}
