import pg, { type Client } from 'pg';
import type { DataSourceOptions, EntitySchema, MigrationInterface, MixedList } from 'typeorm';
import { CONNECTION_WAIT_MS, type PoolName } from '../budget/pool-sizes.js';
import { PrimaryClient } from '../config/primary-client.js';
import { prepareClient } from './pooled-client.js';
import { TYPE_PARSERS } from './type-parsers.js';

/** Location of PostgreSQL: an address, or the Unix socket of the embedded server. */
export type DatabaseTarget =
  | {
      readonly url: string;
      /** Address of the server itself, if `url` is that of a pooler that lends a server connection for one transaction. */
      readonly directUrl?: string;
    }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** A class whose name is that of the migration in the table `migrations`. */
export type MigrationClass = new () => MigrationInterface;

export interface DataSourceSettings {
  readonly target: DatabaseTarget;
  /** Maximum number of connections; absent: 2. */
  readonly poolSize?: number;
  /** Part of the connection's name in `pg_stat_activity`, after the program's name. */
  readonly poolName?: PoolName;
  /**
   * True if the connections go through the pooler: nothing may outlive a transaction on them, and the role sets the
   * limits.
   */
  readonly viaPooler?: boolean;
  /** Statement timeout; absent: 15 s. */
  readonly statementTimeoutMs?: number;
  /** Lock timeout; absent: the statement timeout. */
  readonly lockTimeoutMs?: number;
  readonly entities?: MixedList<string | (new () => object) | EntitySchema>;
  readonly migrations?: readonly MigrationClass[];
}

/**
 * Time after the statement timeout, at which a live server cancels a statement itself; a server without an answer until
 * then is gone.
 */
const GRACE_MS = 2_000;

/** Connection parameters of `pg` for all connections. */
function commonOptions(poolName?: PoolName) {
  return {
    application_name: poolName ? `agent-control-plane ${poolName}` : 'agent-control-plane',
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    keepAlive: true,
    // the class of a pool's connections
    Client: PrimaryClient,
  };
}

/**
 * Settings of each session, regardless of those of the database and the role: the format of times, and the isolation of
 * transactions.
 */
const SESSION_OPTIONS = '-c timezone=UTC -c datestyle=ISO -c default_transaction_isolation=read\\ committed';

/** Connection parameters for a session with the server itself: for LISTEN, migrations and advisory locks. */
export function clientOptions(target: DatabaseTarget, poolName?: PoolName) {
  return {
    ...('url' in target ? { connectionString: target.directUrl ?? target.url } : { ...target, ssl: false }),
    ...commonOptions(poolName),
    options: SESSION_OPTIONS,
  };
}

/** The same for work that takes long, such as migrations. A role may have its own limits, for connections through a pooler. */
export function unlimitedClientOptions(target: DatabaseTarget) {
  return {
    ...clientOptions(target),
    options: `${SESSION_OPTIONS} -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0`,
  };
}

/** Connection parameters for a connection through the pooler, which refuses the parameters of a session. */
export function poolerOptions(url: string, poolName?: PoolName) {
  return { connectionString: url, ...commonOptions(poolName) };
}

export function dataSourceOptions({ target, poolName, ...settings }: DataSourceSettings): DataSourceOptions {
  const { statementTimeoutMs = 15_000, lockTimeoutMs = statementTimeoutMs, viaPooler = false } = settings;
  return {
    type: 'postgres',
    // TypeORM would look for it by name, but the bundle contains it
    driver: pg,
    entities: settings.entities ?? [],
    migrations: [...(settings.migrations ?? [])],
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    installExtensions: false,
    logging: false,
    poolErrorHandler: () => undefined,
    extra: {
      ...(viaPooler && 'url' in target
        ? poolerOptions(target.url, poolName)
        : clientOptions(target, poolName)),
      max: settings.poolSize ?? 2,
      idleTimeoutMillis: 30_000,
      onConnect: (client: Client) =>
        prepareClient(client, { namesStatements: !viaPooler, timeoutMs: statementTimeoutMs + GRACE_MS }),
      types: TYPE_PARSERS,
      ...(viaPooler
        ? {}
        : {
            statement_timeout: statementTimeoutMs,
            lock_timeout: lockTimeoutMs,
            idle_in_transaction_session_timeout: statementTimeoutMs,
          }),
    },
  };
}
