import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { isSerializationFailure } from './database-errors.js';

/**
 * An open transaction. Every write that has to be atomic has one as its required first parameter, so that code without
 * the transaction does not compile.
 */
export type Transaction = EntityManager;

/** A connection for reads: an open transaction, or the `manager` of a pool. */
export type Connection = EntityManager;

/** Number of attempts of a transaction that conflicts with another one, before the caller gets the error. */
const ATTEMPTS = 4;

const callbacksOf = new WeakMap<Transaction, (() => void)[]>();
const logger = new Logger('Transaction');

/** Registers a callback for the commit of the transaction; it is never called after a rollback. */
export function onCommit(tx: Transaction, callback: () => void): void {
  const callbacks = callbacksOf.get(tx);
  if (!callbacks) throw new Error('No transaction is open that could be committed');
  callbacks.push(callback);
}

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. `work` may run more than once
 * (after a deadlock), so it must have no effects outside the transaction, see {@link onCommit}; and it must wait only
 * for the database, because it holds the connection.
 *
 * @param connection a pool's `manager`, or a connection without an open transaction
 */
export async function inTransaction<T>(
  connection: Connection,
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

/** By hand, because TypeORM ignores the reply to COMMIT. */
async function inOneTransaction<T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const runner = connection.queryRunner ?? connection.dataSource.createQueryRunner();
  const tx = runner.manager;
  // TypeORM refuses to lock rows if this is false.
  const state: { isTransactionActive: boolean } = runner;
  const callbacks: (() => void)[] = [];
  try {
    const client = (await runner.connect()) as Client;
    try {
      await client.query('START TRANSACTION');
      state.isTransactionActive = true;
      callbacksOf.set(tx, callbacks);
      const result = await work(tx);
      // PostgreSQL's reply if a statement has failed and `work` continued.
      if ((await client.query('COMMIT')).command === 'ROLLBACK')
        throw new Error(
          'The transaction was rolled back instead of committed: one of its statements had failed',
        );
      for (const callback of callbacks) callBack(callback);
      return result;
    } catch (error) {
      // A connection that is still in the transaction must not return to the pool. Its own error is less exact than the
      // first one. A lost one was released at once, and the pool has ended it.
      await client.query('ROLLBACK').catch(() => {
        if (!runner.isReleased) void client.end();
      });
      throw error;
    }
  } finally {
    callbacksOf.delete(tx);
    state.isTransactionActive = false;
    if (!connection.queryRunner) await runner.release();
  }
}

/** The transaction is committed, so a failure must not look like one of the transaction. */
function callBack(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    logger.error('A callback failed after its transaction was committed', (error as Error).stack);
  }
}
