import type { Attributes } from '@opentelemetry/api';
import type { Client } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { ConcurrencyLimit, ConcurrencyLimitError, type WaitingWorks } from './concurrency-limit.js';
import { WAITING_SEARCHES } from '../budget/list-limits.js';
import { CONNECTION_WAIT_MS, type PoolName, SHARE_OF_ONE_OWNER } from '../budget/pool-sizes.js';
import { dataSourceOptions, type DatabaseTarget, type DataSourceSettings } from './data-source-options.js';
import { UserBusyError } from './database-errors.js';
import { inChildSpan } from '../observability/spans.js';
import { PoolProbe } from './pool-probe.js';
import { giveUp } from './pooled-client.js';
import { poolOf } from './sql.js';
import { type Connection, inTransaction, type Transaction } from './transaction.js';

/** Thrown for a statement before the first connection; answered with 503. */
class DatabaseNotReadyError extends Error {
  readonly code = 'ECONNREFUSED';
}

/** Health checks wait for a pool's answer this long; milliseconds. */
const ANSWER_MS = 500;

/** Time for statements under way to end when the pool is closed; milliseconds. */
const CLOSE_GRACE_MS = 1_000;

/** The connections of one kind of work; see `budget/pool-sizes.ts`. */
export class ConnectionPool {
  private dataSource: DataSource | undefined;
  /** Statement timeout of reads in milliseconds; set if the connections themselves can't have one. */
  private timeoutOfReads: number | undefined;
  /** Connections in use by transactions and sessions. */
  private readonly busy = new Set<Client>();
  private readonly owners: ConcurrencyLimit;
  private readonly readers: ConcurrencyLimit;
  private readonly probe = new PoolProbe();
  /** Attributes of each transaction's span, by which traces distinguish the pools. */
  private readonly attributes: Attributes;

  constructor(
    readonly name: PoolName,
    readonly size: number,
    lockTimeoutMs: number,
    waiting: WaitingWorks = { ofOneUser: Infinity, ofAll: Infinity },
    private readonly isAway?: (name: PoolName) => boolean,
  ) {
    this.owners = new ConcurrencyLimit(size, waiting, {
      waitMs: CONNECTION_WAIT_MS + lockTimeoutMs,
      shareOfOneUser: SHARE_OF_ONE_OWNER,
    });
    this.readers = new ConcurrencyLimit(size, {
      ofOneUser: WAITING_SEARCHES.ofOneUser * Math.ceil(size / 2),
      ofAll: WAITING_SEARCHES.ofAll * size,
    });
    this.attributes = { 'db.system.name': 'postgresql', 'control_plane.pool': name };
  }

  async open(
    target: DatabaseTarget,
    settings: Omit<DataSourceSettings, 'target' | 'poolSize'>,
  ): Promise<void> {
    const options = dataSourceOptions({ ...settings, target, poolSize: this.size, poolName: this.name });
    this.timeoutOfReads = settings.viaPooler ? settings.statementTimeoutMs : undefined;
    const dataSource = await new DataSource(options).initialize();
    const pool = poolOf(dataSource);
    pool.on('acquire', (client) => this.busy.add(client as Client));
    pool.on('release', (_error, client) => this.busy.delete(client as Client));
    this.dataSource = dataSource;
  }

  /** Number of connections in use, and of statements that wait for one. */
  usage(): { readonly busy: number; readonly waiting: number } {
    if (!this.dataSource) return { busy: 0, waiting: 0 };
    const pool = poolOf(this.dataSource);
    return { busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount };
  }

  /** Resolves to false if the pool's own connections give no answer within half a second; see {@link PoolProbe}. */
  async answers(): Promise<boolean> {
    return this.dataSource !== undefined && this.probe.answers(this.dataSource, ANSWER_MS);
  }

  /** Closes the pool. Statements that do not end within a second are cut off with their connections. */
  async close(): Promise<void> {
    const closing = this.dataSource;
    this.dataSource = undefined;
    if (!closing) return;
    const cutOff = setTimeout(() => {
      for (const client of this.busy) void giveUp(client);
    }, CLOSE_GRACE_MS);
    await closing.destroy().finally(() => clearTimeout(cutOff));
  }

  /**
   * Runs each statement alone, on any free connection, and returns that at once.
   *
   * @throws DatabaseNotReadyError before the first connection
   */
  get manager(): EntityManager {
    return this.requireDataSource().manager;
  }

  /**
   * Runs reads of one user, who shares the pool fairly with all others.
   *
   * @throws UserBusyError at once if too many reads wait already, of this user or of all
   */
  read<T>(user: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    return fairly(this.readers, user, () => this.inTime(work));
  }

  /**
   * Runs reads under the pool's statement timeout. Through a pooler only a transaction can have its own; other
   * statements have the role's timeout, which is the longest of all pools.
   */
  private inTime<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const timeout = this.timeoutOfReads;
    if (timeout === undefined) return work(this.manager);
    return inTransaction(this.manager, async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${timeout}`);
      return work(tx);
    });
  }

  /**
   * The data source, for libraries with statements of their own. @throws DatabaseNotReadyError before the first
   * connection, and while the database is known to be away
   */
  requireDataSource(): DataSource {
    if (!this.dataSource) throw new DatabaseNotReadyError('The database is not ready yet');
    if (this.isAway?.(this.name)) throw new DatabaseNotReadyError('The database is unreachable');
    return this.dataSource;
  }

  /**
   * Runs `work` in one transaction on one connection: committed when it returns, rolled back when it throws. `work` may
   * run more than once (after a deadlock), so it must have no effects outside the transaction, see `onCommit`; and it
   * must wait only for the database, because it holds the connection.
   *
   * @param owner of the locked rows: all of one owner's transactions together get {@link SHARE_OF_ONE_OWNER} of the pool,
   * because they may wait for each other's locks, and other owners must not wait behind them
   * @throws UserBusyError if too many of the owner's transactions wait already
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, owner?: string): Promise<T> {
    return inChildSpan({ name: `transaction ${this.name}`, attributes: this.attributes }, () =>
      owner === undefined
        ? inTransaction(this.manager, work)
        : fairly(this.owners, owner, () => inTransaction(this.manager, work)),
    );
  }

  /** Runs `work` on one connection, outside any transaction, and returns the connection to the pool. */
  async session<T>(work: (connection: EntityManager) => Promise<T>): Promise<T> {
    const runner = this.requireDataSource().createQueryRunner();
    try {
      return await work(runner.manager);
    } finally {
      await runner.release();
    }
  }
}

/** @throws UserBusyError where the limit refuses the work */
async function fairly<T>(limit: ConcurrencyLimit, user: string, work: () => Promise<T>): Promise<T> {
  try {
    return await limit.run(user, work);
  } catch (error) {
    if (error instanceof ConcurrencyLimitError)
      throw new UserBusyError("Too much of this user's work waits for a connection");
    throw error;
  }
}
