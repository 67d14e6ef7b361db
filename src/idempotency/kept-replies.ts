import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError } from '../errors/domain-error.js';
import { IdempotentRequests, type Standing } from '../http/idempotency/idempotent-requests.js';
import { type KeyedRequest, keyWasUsed } from '../http/idempotency/keyed-request.js';
import { IdempotencyRepository, type KeyStanding } from './idempotency.repository.js';
import { ReplayedSecrets } from './replayed-secrets.js';
import { ReplyCipher } from './reply-cipher.js';

/** Keeps the replies to requests with an `Idempotency-Key`. No connection is held before or after the transaction of the effect. */
@Injectable()
export class KeptReplies extends IdempotentRequests {
  /** Keys of requests under way on this instance, so that a repetition is refused without a connection. */
  private readonly running = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly records: IdempotencyRepository,
    private readonly cipher: ReplyCipher,
    private readonly secrets: ReplayedSecrets,
  ) {
    super();
  }

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
      await this.secrets.record(tx, request.request, standing!.reply);
      return standing!.reply;
    }
    const reply = await work(tx);
    await this.keep(tx, [{ request, reply }]);
    return reply;
  }

  async begin<Reply>(tx: Transaction, requests: readonly KeyedRequest[]): Promise<Standing<Reply>[]> {
    if (requests.length === 0) return [];
    const standings = await this.records.lock(
      tx,
      requests.map(({ keyHash }) => keyHash),
    );
    return requests.map((request, index) => this.standingOf<Reply>(request, standings[index]!));
  }

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
