import type { Attributes } from '@opentelemetry/api';
import { DataSource, type EntityManager } from 'typeorm';
import { ConcurrencyLimit, ConcurrencyLimitError } from './concurrency-limit.js';
import { CONNECTION_WAIT_MS, type PoolName, WAITING_TRANSACTIONS } from '../budget/pool-sizes.js';
import { dataSourceOptions, type DatabaseTarget, type DataSourceSettings } from './data-source-options.js';
import { inChildSpan } from '../observability/spans.js';
import { isSerializationFailure } from './database-errors.js';
import type { PoolClients, PooledClient } from './pooled-client.js';
import { poolOf } from './sql.js';
import { commit, type Connection, forgetClosing, type Transaction } from './transaction.js';

/** Thrown where a statement is asked for before the first connection; answered with 503. */
class DatabaseNotReadyError extends Error {
  readonly code = 'ECONNREFUSED';
}

/** An owner's transactions fill their share of the pool, and the line before it; answered with 503. */
class OwnerBusyError extends Error {
  /** PostgreSQL's own for "too many connections". */
  readonly code = '53300';
}

/** A transaction that lost against another one is run again this often before the caller gets the error. */
const ATTEMPTS = 4;
/** How long statements under way may take to end when the pool is closed; milliseconds. */
const CLOSE_GRACE_MS = 1_000;

/** The connections of one kind of work; see `budget/pool-sizes.ts`. */
export class ConnectionPool {
  private dataSource: DataSource | undefined;
  /** Milliseconds; set where the connections can't have it themselves. */
  private timeoutOfReads: number | undefined;
  private readonly owners: ConcurrencyLimit;
  /** Attributes of each transaction's span: traces tell the pools apart by them. */
  private readonly attributes: Attributes;

  constructor(
    readonly name: PoolName,
    readonly size: number,
    lockTimeoutMs: number,
  ) {
    this.owners = new ConcurrencyLimit(size, WAITING_TRANSACTIONS, CONNECTION_WAIT_MS + lockTimeoutMs);
    this.attributes = { 'db.system.name': 'postgresql', 'control_plane.pool': name };
  }

  async open(
    target: DatabaseTarget,
    settings: Omit<DataSourceSettings, 'target' | 'poolSize'>,
  ): Promise<void> {
    const options = dataSourceOptions({ ...settings, target, poolSize: this.size, poolName: this.name });
    this.timeoutOfReads = settings.viaPooler ? settings.statementTimeoutMs : undefined;
    this.dataSource = await new DataSource(options).initialize();
  }

  /** Connections in use now, and statements that wait for one. */
  usage(): { readonly busy: number; readonly waiting: number } {
    if (!this.dataSource) return { busy: 0, waiting: 0 };
    const pool = poolOf(this.dataSource);
    return { busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount };
  }

  /** Statements that do not end within a second are broken off with their connections. */
  async close(): Promise<void> {
    const closing = this.dataSource;
    this.dataSource = undefined;
    if (!closing) return;
    const { clients } = closing.options.extra as PoolClients;
    const cutOff = setTimeout(() => {
      for (const client of clients) client.cut();
    }, CLOSE_GRACE_MS);
    await closing.destroy().finally(() => clearTimeout(cutOff));
  }

  /**
   * Runs each statement by itself, on whichever connection is free, and gives that back at once.
   *
   * @throws DatabaseNotReadyError before the first connection
   */
  get manager(): EntityManager {
    return this.requireDataSource().manager;
  }

  /**
   * Runs reads under the pool's statement timeout. Through a pooler only a transaction has one of its own; elsewhere the role's
   * holds, which is the longest of all pools.
   */
  read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const timeout = this.timeoutOfReads;
    if (timeout === undefined) return work(this.manager);
    return inTransaction(this.manager, async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${timeout}`);
      return work(tx);
    });
  }

  /** For libraries that bring their own statements. @throws DatabaseNotReadyError before the first connection */
  requireDataSource(): DataSource {
    if (!this.dataSource) throw new DatabaseNotReadyError('The database is not ready yet');
    return this.dataSource;
  }

  /**
   * Runs `work` in one transaction on one connection: committed when it returns, rolled back when it throws. `work` may
   * run more than once (after a deadlock), so it must have no effects outside the transaction, see `onCommit`; and it
   * must wait for nothing but the database, because it holds the connection.
   *
   * @param owner whose rows it locks: all of them together get half of the pool, because their transactions wait for
   *   each other's locks, and others' must not wait behind them
   * @throws OwnerBusyError where too many of the owner's transactions wait already
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, owner?: string): Promise<T> {
    try {
      return await inChildSpan({ name: `transaction ${this.name}`, attributes: this.attributes }, () =>
        owner === undefined
          ? inTransaction(this.manager, work)
          : this.owners.run(owner, () => inTransaction(this.manager, work)),
      );
    } catch (error) {
      if (error instanceof ConcurrencyLimitError)
        throw new OwnerBusyError('Too many changes wait for each other');
      throw error;
    }
  }

  /** Runs `work` on one connection, outside any transaction, and gives the connection back. */
  async session<T>(work: (connection: EntityManager) => Promise<T>): Promise<T> {
    const runner = this.requireDataSource().createQueryRunner();
    try {
      return await work(runner.manager);
    } finally {
      await runner.release();
    }
  }
}

/**
 * As {@link ConnectionPool.transaction}, on a connection that the caller has.
 *
 * @param connection no transaction is open on it
 */
export async function inTransaction<T>(
  connection: EntityManager,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inOneTransaction(connection, work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isSerializationFailure(error)) throw error;
    }
  }
}

/** By hand: TypeORM would wait for the answer to `START TRANSACTION`, which goes with the first statement of `work`. */
async function inOneTransaction<T>(
  connection: EntityManager,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const runner = connection.queryRunner ?? connection.dataSource.createQueryRunner();
  const client = (await runner.connect()) as PooledClient;
  // TypeORM refuses to lock rows where this is false.
  const standing: { isTransactionActive: boolean } = runner;
  try {
    const begun = client.query('START TRANSACTION');
    // Without a transaction each statement would be committed by itself.
    begun.catch(() => client.cut());
    standing.isTransactionActive = true;
    const result = await work(runner.manager);
    await commit(runner.manager, client);
    return result;
  } catch (error) {
    // The error of the work says more than that of a connection on which nothing can be rolled back. The next one who gets that
    // connection would be in this transaction.
    await client.query('ROLLBACK').catch(() => client.cut());
    throw error;
  } finally {
    forgetClosing(runner.manager);
    standing.isTransactionActive = false;
    if (!connection.queryRunner) await runner.release();
  }
}
