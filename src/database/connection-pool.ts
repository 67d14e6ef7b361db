import type { Attributes } from '@opentelemetry/api';
import type { Client } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { ConcurrencyLimit, ConcurrencyLimitError } from './concurrency-limit.js';
import { CONNECTION_WAIT_MS, type PoolName, WAITING_TRANSACTIONS } from '../budget/pool-sizes.js';
import { dataSourceOptions, type DatabaseTarget, type DataSourceSettings } from './data-source-options.js';
import { inChildSpan } from '../observability/spans.js';
import { giveUp } from './pooled-client.js';
import { poolOf } from './sql.js';
import { type Connection, inTransaction, type Transaction } from './transaction.js';

/** Thrown where a statement is asked for before the first connection; answered with 503. */
class DatabaseNotReadyError extends Error {
  readonly code = 'ECONNREFUSED';
}

/** An owner's transactions fill their share of the pool, and the line before it; answered with 503. */
class OwnerBusyError extends Error {
  /** PostgreSQL's own for "too many connections". */
  readonly code = '53300';
}

/** How long statements under way may take to end when the pool is closed; milliseconds. */
const CLOSE_GRACE_MS = 1_000;

/** The connections of one kind of work; see `budget/pool-sizes.ts`. */
export class ConnectionPool {
  private dataSource: DataSource | undefined;
  /** Milliseconds; set where the connections can't have it themselves. */
  private timeoutOfReads: number | undefined;
  /** Connections that are lent. */
  private readonly busy = new Set<Client>();
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
    const dataSource = await new DataSource(options).initialize();
    const pool = poolOf(dataSource);
    pool.on('acquire', (client) => this.busy.add(client as Client));
    pool.on('release', (_error, client) => this.busy.delete(client as Client));
    this.dataSource = dataSource;
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
    const cutOff = setTimeout(() => {
      for (const client of this.busy) void giveUp(client);
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
