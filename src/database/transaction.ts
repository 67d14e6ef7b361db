import type { EntityManager } from 'typeorm';

/**
 * An open transaction. Every write that has to be atomic takes one as its required first parameter, so that
 * forgetting the transaction does not compile.
 */
export type Transaction = EntityManager;

/** A connection for reads: an open transaction, or the `manager` of a pool. */
export type Connection = EntityManager;

const commitCallbacks = new WeakMap<Transaction, (() => void)[]>();

/** Calls back once the transaction has been committed; never when it was rolled back. */
export function onCommit(tx: Transaction, callback: () => void): void {
  const callbacks = commitCallbacks.get(tx);
  if (callbacks) callbacks.push(callback);
  else commitCallbacks.set(tx, [callback]);
}

/** To be called once, after the commit, by whoever opened the transaction. */
export function runCommitCallbacks(tx: Transaction): void {
  const callbacks = commitCallbacks.get(tx) ?? [];
  commitCallbacks.delete(tx);
  for (const callback of callbacks) callback();
}

/**
 * Waits for statements of one transaction that need nothing of each other: they are sent together, which is one round trip
 * while others wait for the rows. The server runs them in the order in which they were begun. All are waited for before the
 * first failure is thrown, so that none is sent behind the rollback.
 */
export async function together<Results extends readonly unknown[]>(
  ...statements: { readonly [Index in keyof Results]: Results[Index] | Promise<Results[Index]> }
): Promise<Results> {
  const outcomes = await Promise.allSettled(statements);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as Results;
}
