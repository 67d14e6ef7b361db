import type { ConnectionPool } from './connection-pool.js';
import type { PoolName } from '../budget/pool-sizes.js';
import type { Listener } from './listener.js';

/** `initializing`: not opened yet. `unavailable`: it refuses, does not answer, or was lost. */
export type DatabaseState = 'initializing' | 'ready' | 'unavailable';

export interface DatabaseProbe {
  readonly state: DatabaseState;
  /** The pools that would get no answer now. */
  readonly silent: readonly PoolName[];
}

/**
 * PostgreSQL for the services: a pool of connections for each kind of work, notifications, and its state. It is the
 * injection token of `PostgresDatabase`, so that services can't reach migrations or the opening of connections.
 */
export abstract class Database {
  abstract readonly runtimes: ConnectionPool;
  abstract readonly people: ConnectionPool;
  abstract readonly searches: ConnectionPool;
  abstract readonly background: ConnectionPool;
  abstract readonly listener: Listener;
  abstract readonly state: DatabaseState;
  /** True from the first opening until the end; before it, no statement can run. */
  abstract readonly wasOpened: boolean;

  /** True while the server or pooler that a pool connects to gave no answer to the last probe; see `ProbedConnection.isAway`. */
  abstract isAway(pool: PoolName): boolean;

  /** The state as it is now: `unavailable` also while the database hangs. It resolves within half a second. */
  abstract probe(): Promise<DatabaseProbe>;

  /**
   * Resolves when the schema is migrated and statements can run, when the database is refused, or when it is closed.
   */
  abstract whenOpen(): Promise<void>;

  /**
   * Runs work in the background once statements can run: the service listens before its database is up. Nothing is run
   * if the database is closed before.
   *
   * @param failed receives the error of the work
   */
  onceOpen(work: () => Promise<void>, failed: (error: unknown) => void): void {
    void this.whenOpen()
      .then(() => (this.wasOpened ? work() : undefined))
      .catch(failed);
  }
}
