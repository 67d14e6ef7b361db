import type { Client, Pool } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { answerInTime } from './answer-in-time.js';
import { ConcurrencyLimit, type WaitingWorks } from './concurrency-limit.js';
import { WAITING_SEARCHES } from '../budget/list-limits.js';
import { CONNECTION_WAIT_MS, type PoolName, SHARE_OF_ONE_OWNER } from '../budget/pool-sizes.js';
import { dataSourceOptions, type DatabaseTarget, type DataSourceSettings } from './data-source-options.js';
import { isServerFull } from './database-errors.js';
import { inChildSpan } from '../observability/spans.js';
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
  /** The probe that has no answer yet, so that a pool that hangs gets one at a time. */
  private probe: Promise<boolean> | undefined;

  constructor(
    readonly name: PoolName,
    readonly size: number,
    lockTimeoutMs: number,
    waiting: WaitingWorks = { ofOneUser: Infinity, ofAll: Infinity },
    private readonly isAway = () => false,
  ) {
    this.owners = new ConcurrencyLimit(size, waiting, {
      waitMs: CONNECTION_WAIT_MS + lockTimeoutMs,
      shareOfOneUser: SHARE_OF_ONE_OWNER,
    });
    this.readers = new ConcurrencyLimit(size, {
      ofOneUser: WAITING_SEARCHES.ofOneUser * Math.ceil(size / 2),
      ofAll: WAITING_SEARCHES.ofAll * size,
    });
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

  /**
   * Resolves to false if the pool's own connections give no answer within half a second: they can be lost while those of
   * all other pools stand. A pool whose connections are all in use is busy, not lost: other connections show whether the
   * server answers.
   */
  async answers(): Promise<boolean> {
    if (!this.dataSource) return false;
    if (!this.probe && isBusy(poolOf(this.dataSource))) return true;
    this.probe ??= ask(this.dataSource).finally(() => (this.probe = undefined));
    return answerInTime(this.probe, ANSWER_MS, () => false);
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
    return this.readers.run(user, () => this.inTime(work));
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
    if (this.isAway()) throw new DatabaseNotReadyError('The database is unreachable');
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
    const attributes = { 'db.system.name': 'postgresql', 'control_plane.pool': this.name };
    const run = () => inTransaction(this.manager, work);
    return inChildSpan({ name: `transaction ${this.name}`, attributes }, () =>
      owner === undefined ? run() : this.owners.run(owner, run),
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

function isBusy({ idleCount, totalCount, waitingCount, options }: Pool): boolean {
  return waitingCount > 0 || (idleCount === 0 && totalCount >= (options.max ?? 0));
}

async function ask(dataSource: DataSource): Promise<boolean> {
  try {
    await dataSource.query('SELECT');
    return true;
  } catch (error) {
    return isServerFull(error);
  }
}
