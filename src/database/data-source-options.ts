import type { DataSourceOptions, EntitySchema, MixedList } from 'typeorm';
import { PooledClient } from './pooled-client.js';

/** Where PostgreSQL is: an address, or the Unix socket of the embedded server. */
export type DatabaseTarget =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

export interface DataSourceSettings {
  readonly target: DatabaseTarget;
  /** Connections at most, for each instance. */
  readonly poolSize: number;
  /** No statement of a request runs longer; {@link STATEMENT_TIMEOUT_MS} when absent. */
  readonly statementTimeoutMs?: number;
  readonly entities?: MixedList<string | (new () => object) | EntitySchema>;
  readonly migrations?: MixedList<string | (new () => object)>;
}

/** How long a request may wait for a free connection before it is answered with 503; milliseconds. */
const CONNECTION_TIMEOUT_MS = 5_000;
/** No statement of a request runs longer; a hung one is ended and answered with 503; milliseconds. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** A server that lives ends such a statement by itself; one that has not within this time more is gone. */
const GRACE_MS = 2_000;

/** Connection parameters for `pg`, shared by the pool and by the connection that listens. */
export function clientOptions(target: DatabaseTarget) {
  return {
    ...('url' in target ? { connectionString: target.url } : { ...target, ssl: false }),
    application_name: 'agent-control-plane',
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    options: '-c timezone=UTC',
  };
}

export function dataSourceOptions(settings: DataSourceSettings): DataSourceOptions {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = settings;
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
      ...clientOptions(settings.target),
      max: settings.poolSize,
      idleTimeoutMillis: 30_000,
      Client: PooledClient,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + GRACE_MS,
      idle_in_transaction_session_timeout: statementTimeoutMs,
    },
  };
}
