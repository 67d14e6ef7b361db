import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Transaction } from '../../database/transaction.js';
import { ConflictError, InvalidError } from '../../errors/domain-error.js';
import { IdempotencyRepository, type KeyStanding } from './idempotency.repository.js';
import { type KeyedRequest, keyWasUsed } from './keyed-request.js';
import { ReplyCipher } from './reply-cipher.js';
import { Replays } from './replays.js';

/** The meaning of a key for its request. */
export type Standing<Reply> =
  | { readonly kind: 'first' }
  | { readonly kind: 'repeated'; readonly reply: Reply }
  /** The first request with this key still runs, or the key was used for another request. */
  | { readonly kind: 'refused'; readonly error: ConflictError | InvalidError };

/**
 * Runs requests with an `Idempotency-Key` once. The reply is stored in the transaction of the effect: after a crash
 * either both exist or neither, so a retry gets the reply or does the work, never both. A failed request leaves no
 * record. No connection is held before or after that transaction.
 */
@Injectable()
export class IdempotentRequests {
  /** Keys of requests under way on this instance, so that a repetition is refused without a connection. */
  private readonly running = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly records: IdempotencyRepository,
    private readonly cipher: ReplyCipher,
    private readonly replays: Replays,
  ) {}

  /**
   * Runs `work` in one transaction of the people's pool; with a key once.
   *
   * @param owner see `ConnectionPool.transaction`; absent on open routes
   * @param request absent: the request has no key
   * @param work returns the reply's body; see `ConnectionPool.transaction` for its restrictions
   * @throws ConflictError if the first request with this key still runs
   * @throws InvalidError if the key was used for another request
   */
  async run<Reply>(
    owner: string | undefined,
    request: KeyedRequest | undefined,
    work: (tx: Transaction) => Promise<Reply>,
  ): Promise<Reply> {
    const { people } = this.database;
    if (!request) return people.transaction(work, owner);
    const name = request.keyHash.toString('base64');
    if (this.running.has(name)) throw stillRunning();
    this.running.add(name);
    try {
      return await people.transaction((tx) => this.once(tx, request, work), owner);
    } finally {
      this.running.delete(name);
    }
  }

  /** Returns the standing of each request that shares a transaction: whether it must run. Each key occurs once. */
  async begin<Reply>(tx: Transaction, requests: readonly KeyedRequest[]): Promise<Standing<Reply>[]> {
    if (requests.length === 0) return [];
    const standings = await this.records.lock(
      tx,
      requests.map(({ keyHash }) => keyHash),
    );
    return requests.map((request, index) => this.standingOf<Reply>(request, standings[index]!));
  }

  /**
   * Stores the replies of the requests that ran in a shared transaction.
   *
   * @throws ConflictError if a request with one of the keys was committed in the meantime
   */
  async keep(
    tx: Transaction,
    replies: readonly { readonly request: KeyedRequest; readonly reply: unknown }[],
  ): Promise<void> {
    if (replies.length === 0) return;
    const sealed = await this.cipher.seal(replies);
    const records = replies.map(({ request: { keyHash, fingerprint } }, index) => ({
      keyHash,
      fingerprint,
      sealedReply: sealed[index]!,
    }));
    if ((await this.records.save(tx, records)) < records.length) throw stillRunning();
  }

  /**
   * Runs `work` in a transaction that the caller has opened; with a key once.
   *
   * @throws ConflictError, InvalidError as {@link run}
   */
  async once<Reply>(
    tx: Transaction,
    request: KeyedRequest | undefined,
    work: (tx: Transaction) => Promise<Reply>,
  ): Promise<Reply> {
    if (!request) return work(tx);
    const [standing] = await this.begin<Reply>(tx, [request]);
    if (standing!.kind === 'refused') throw standing!.error;
    if (standing!.kind === 'repeated') {
      request.markReplayed();
      await this.replays.note({ tx, request: request.request, reply: standing!.reply });
      return standing!.reply;
    }
    const reply = await work(tx);
    await this.keep(tx, [{ request, reply }]);
    return reply;
  }

  private standingOf<Reply>(request: KeyedRequest, known: KeyStanding): Standing<Reply> {
    if (!known.isLocked) return { kind: 'refused', error: stillRunning() };
    if (!known.fingerprint || !known.sealedReply) return { kind: 'first' };
    if (!known.fingerprint.equals(request.fingerprint)) return { kind: 'refused', error: keyWasUsed() };
    const reply = this.cipher.open<Reply>(request, known.sealedReply);
    return reply instanceof ConflictError ? { kind: 'refused', error: reply } : { kind: 'repeated', reply };
  }
}

function stillRunning(): ConflictError {
  return new ConflictError(
    'idempotency_key_running',
    'A request with this Idempotency-Key is still in progress: try again later',
  );
}
