import type { Transaction } from '../../database/transaction.js';
import type { ConflictError, InvalidError } from '../../errors/domain-error.js';
import type { KeyedRequest } from './keyed-request.js';

/** The meaning of a key for its request. */
export type Standing<Reply> =
  | { readonly kind: 'first' }
  | { readonly kind: 'repeated'; readonly reply: Reply }
  /** The first request with this key still runs, or the key was used for another request. */
  | { readonly kind: 'refused'; readonly error: ConflictError | InvalidError };

/**
 * Runs requests with an `Idempotency-Key` once. The reply is stored in the transaction of the effect: after a crash
 * either both exist or neither, so a retry gets the reply or does the work, never both. A failed request leaves no
 * record. It is the injection token of `KeptReplies`, which seals replies and writes to the audit log: both stand on this folder.
 */
export abstract class IdempotentRequests {
  /**
   * Runs `work` in one transaction of the people's pool; with a key once.
   *
   * @param owner see `ConnectionPool.transaction`; absent on open routes
   * @param request absent: the request has no key
   * @param work returns the reply's body; see `ConnectionPool.transaction` for its restrictions
   * @throws ConflictError if the first request with this key still runs
   * @throws InvalidError if the key was used for another request
   */
  abstract run<Reply>(
    owner: string | undefined,
    request: KeyedRequest | undefined,
    work: (tx: Transaction) => Promise<Reply>,
  ): Promise<Reply>;

  /**
   * Runs `work` in a transaction that the caller has opened; with a key once.
   *
   * @throws ConflictError, InvalidError as {@link run}
   */
  abstract once<Reply>(
    tx: Transaction,
    request: KeyedRequest | undefined,
    work: (tx: Transaction) => Promise<Reply>,
  ): Promise<Reply>;

  /** Returns the standing of each request that shares a transaction: whether it must run. Each key occurs once. */
  abstract begin<Reply>(tx: Transaction, requests: readonly KeyedRequest[]): Promise<Standing<Reply>[]>;

  /**
   * Stores the replies of the requests that ran in a shared transaction.
   *
   * @throws ConflictError if a request with one of the keys was committed in the meantime
   */
  abstract keep(
    tx: Transaction,
    replies: readonly { readonly request: KeyedRequest; readonly reply: unknown }[],
  ): Promise<void>;
}
