import type { DataSourceOptions, EntitySchema, MixedList } from 'typeorm';
import { CONNECTION_WAIT_MS, type PoolName } from '../budget/pool-sizes.js';
import { pooledClientClass } from './pooled-client.js';
import { ROW_VALUES } from './row-values.js';

/** Where PostgreSQL is: an address, or the Unix socket of the embedded server. */
export type DatabaseTarget =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

export interface DataSourceSettings {
  readonly target: DatabaseTarget;
  /** Connections at most. */
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`, behind the program's name. */
  readonly poolName?: PoolName;
  /** No statement runs longer; 15 s when absent. */
  readonly statementTimeoutMs?: number;
  /** No statement waits longer for a lock; as long as it may run when absent. */
  readonly lockTimeoutMs?: number;
  readonly entities?: MixedList<string | (new () => object) | EntitySchema>;
  readonly migrations?: MixedList<string | (new () => object)>;
}

/** A server that lives ends such a statement by itself; one that has not within this time more is gone. */
const GRACE_MS = 2_000;

/** Connection parameters for `pg`, shared by the pools and by the connection that listens. */
export function clientOptions(target: DatabaseTarget, poolName?: PoolName) {
  return {
    ...('url' in target ? { connectionString: target.url } : { ...target, ssl: false }),
    application_name: poolName ? `agent-control-plane ${poolName}` : 'agent-control-plane',
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    keepAlive: true,
    options: '-c timezone=UTC',
  };
}

export function dataSourceOptions(settings: DataSourceSettings): DataSourceOptions {
  const { statementTimeoutMs = 15_000, lockTimeoutMs = statementTimeoutMs } = settings;
  return {
    type: 'postgres',
    entities: settings.entities ?? [],
    migrations: settings.migrations ?? [],
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    installExtensions: false,
    logging: false,
    poolErrorHandler: () => undefined,
    extra: {
      ...clientOptions(settings.target, settings.poolName),
      max: settings.poolSize,
      idleTimeoutMillis: 30_000,
      ...pooledClientClass(),
      types: ROW_VALUES,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      query_timeout: statementTimeoutMs + GRACE_MS,
      idle_in_transaction_session_timeout: statementTimeoutMs,
    },
  };
}
