import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isSerializationFailure } from './database-errors.js';
import { Database } from './database.js';
import type { Transaction } from './transaction.types.js';

/** A transaction that lost against another one is run again this often before the caller hears of it. */
const ATTEMPTS = 4;

@Injectable()
export class Transactor {
  private readonly enclosing = new AsyncLocalStorage<Transaction>();
  private readonly commitCallbacks = new WeakMap<Transaction, (() => void)[]>();

  constructor(private readonly database: Database) {}

  /** For reads: the enclosing transaction where there is one (it sees its own writes), else the pool. */
  get reader(): EntityManager {
    return this.enclosing.getStore() ?? this.database.manager;
  }

  /** Whether the caller is part of a transaction begun further out: what it writes must be part of that one, too. */
  get isEnclosed(): boolean {
    return this.enclosing.getStore() !== undefined;
  }

  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. Inside
   * {@link runEnclosing} it joins that transaction. `work` may run more than once (after a deadlock), so it
   * must have no effects outside the transaction; see {@link onCommit}.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const enclosing = this.enclosing.getStore();
    if (enclosing) return work(enclosing);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.begin(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isSerializationFailure(error)) throw error;
      }
    }
  }

  /**
   * Like {@link run}, but every `run` and `reader` inside `work` joins. `http/idempotency` needs it: a request's
   * effect and the record of its reply must be committed together.
   */
  async runEnclosing<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.begin((tx) => this.enclosing.run(tx, () => work(tx)));
  }

  /**
   * Every `reader` inside `read` reads on one connection, where no statement runs longer than this. It costs two
   * statements, one before `read` and one after: the time that the connections begin with is for all others.
   *
   * @param timeoutMs for a statement; of it half may be spent waiting for locks, which is not the read's own fault
   */
  async runReading<T>(timeoutMs: number, read: () => Promise<T>): Promise<T> {
    const runner = this.database.requireDataSource().createQueryRunner();
    try {
      await runner.query(
        `BEGIN READ ONLY; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL lock_timeout = ${timeoutMs / 2}`,
      );
      try {
        return await this.enclosing.run(runner.manager, read);
      } finally {
        // There is nothing to commit. Where it fails, the connection has gone, and its limits with it.
        await runner.query('ROLLBACK').catch(() => undefined);
      }
    } finally {
      await runner.release();
    }
  }

  /** Calls back once the transaction has been committed; never when it was rolled back. */
  onCommit(tx: Transaction, callback: () => void): void {
    this.commitCallbacks.get(tx)?.push(callback);
  }

  private async begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const callbacks: (() => void)[] = [];
    const result = await this.database.manager.transaction((tx) => {
      this.commitCallbacks.set(tx, callbacks);
      return work(tx);
    });
    for (const callback of callbacks) callback();
    return result;
  }
}
