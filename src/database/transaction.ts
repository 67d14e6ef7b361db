import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import type { PreparedStatement } from './sql.js';

/**
 * An open transaction. Every write that has to be atomic takes one as its required first parameter, so that
 * forgetting the transaction does not compile.
 */
export type Transaction = EntityManager;

/** A connection for reads: an open transaction, or the `manager` of a pool. */
export type Connection = EntityManager;

/** Values that the driver can always send: where it fails to, the COMMIT behind would succeed without the write. */
export type WrittenValue = string | number | boolean | null | readonly string[];

interface ClosingWrite {
  readonly statement: QueryConfig;
  readonly wrote: ((rows: number) => void) | undefined;
}

/** Writes and callbacks that are left when the work of a transaction has returned. */
interface Closing {
  readonly writes: ClosingWrite[];
  readonly callbacks: (() => void)[];
}

/** Writes that are sent at once at most, because all of them have to be answered in the time of one statement. */
const SENT_AT_ONCE = 100;

const closings = new WeakMap<Transaction, Closing>();

/** Calls back once the transaction has been committed; never when it was rolled back. */
export function onCommit(tx: Transaction, callback: () => void): void {
  closingOf(tx).callbacks.push(callback);
}

/**
 * Sends a write with the COMMIT, after everything that the transaction waits for. It saves a round trip while others wait
 * for the rows, and a lock that it takes is held for no longer than PostgreSQL needs. The transaction does not see what it
 * writes; where it fails, all is rolled back.
 *
 * @param wrote called with the number of its rows once the transaction has been committed
 */
export function writeAtCommit(
  tx: Transaction,
  { name, text }: PreparedStatement,
  values: WrittenValue[],
  wrote?: (rows: number) => void,
): void {
  if (!tx.queryRunner?.isTransactionActive) throw new Error('No transaction is open that could send a write');
  closingOf(tx).writes.push({ statement: { name, text, values }, wrote });
}

/** Commits, and calls back. For whoever opened the transaction. @param client its connection */
export async function commit(tx: Transaction, client: Client): Promise<void> {
  const { writes, callbacks } = closingOf(tx);
  // One that was asked for from here on would not be sent: that must not go unnoticed.
  Object.freeze(writes);
  const results: QueryResult[] = [];
  let isLast = false;
  while (!isLast) {
    const begun = results.length;
    // In one turn of the event loop, so that they are sent in this order, and together.
    const sent = writes
      .slice(begun, begun + SENT_AT_ONCE)
      .map(({ statement }) => client.query<QueryResultRow>(statement));
    isLast = begun + sent.length === writes.length;
    results.push(...(await together<QueryResult[]>(...sent, ...(isLast ? [client.query('COMMIT')] : []))));
  }
  for (const [index, { wrote }] of writes.entries()) wrote?.(results[index]!.rowCount ?? 0);
  for (const callback of callbacks) callback();
}

/** Forgets what was to be done at the commit. For whoever opened the transaction: another one may follow on its connection. */
export function forgetClosing(tx: Transaction): void {
  closings.delete(tx);
}

function closingOf(tx: Transaction): Closing {
  const known = closings.get(tx);
  if (known) return known;
  const closing: Closing = { writes: [], callbacks: [] };
  closings.set(tx, closing);
  return closing;
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
