import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { shifted } from '../database/clock.js';
import { lists, type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { IdempotencyRecordEntity } from './idempotency-record.entity.js';

/** The state of a key; the reply is null if none is stored yet. */
export interface KeyStanding {
  /** True if no other request with this key is running; the lock lasts until the transaction ends. */
  readonly isLocked: boolean;
  readonly fingerprint: Buffer | null;
  readonly sealedReply: Buffer | null;
}

/** See {@link IdempotencyRepository.save}. */
const SAVE: PreparedStatement = {
  name: 'save_idempotent_replies',
  text: `INSERT INTO idempotency_records AS record (key_hash, fingerprint, sealed_reply, expires_at)
    SELECT key_hash, fingerprint, sealed_reply, now() + interval '24 hours'
    FROM unnest(${lists('bytea', 'bytea', 'bytea')}) AS given (key_hash, fingerprint, sealed_reply)
    ON CONFLICT (key_hash) DO UPDATE SET fingerprint = excluded.fingerprint,
      sealed_reply = excluded.sealed_reply, expires_at = excluded.expires_at
    WHERE record.expires_at <= ${shifted('excluded.expires_at', '-', "interval '24 hours'")}
    RETURNING key_hash`,
};

/** SQL by hand, except for the clean-up: advisory locks, and any number of keys in one statement with `unnest`. */
@Injectable()
export class IdempotencyRepository {
  /** @returns the standing of each key, in order; each hash occurs once */
  async lock(tx: Transaction, keyHashes: readonly Buffer[]): Promise<KeyStanding[]> {
    const locks = keyHashes.map((hash) => hash.readBigInt64BE().toString());
    // Not prepared: the plan for an empty table reads all of it, and PostgreSQL would reuse it while thousands of
    // agents start.
    return rowsOf<KeyStanding>(
      tx,
      `WITH given AS MATERIALIZED (
         SELECT place, key_hash, pg_try_advisory_xact_lock(lock) AS is_locked
         FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS given (key_hash, lock, place)
       )
       SELECT is_locked AS "isLocked", fingerprint, sealed_reply AS "sealedReply"
       FROM given LEFT JOIN idempotency_records AS record
         ON record.key_hash = given.key_hash AND record.expires_at > now()
       ORDER BY place`,
      [keyHashes, locks],
    );
  }

  /**
   * Stores replies for 24 hours; replaces expired ones of the same keys.
   *
   * @returns the number of stored replies; fewer than given if a request with the same key was committed since {@link
   * lock}
   */
  async save(
    tx: Transaction,
    records: readonly Omit<IdempotencyRecordEntity, 'expiresAt'>[],
  ): Promise<number> {
    const rows = await rowsOf(tx, SAVE, [
      records.map(({ keyHash }) => keyHash),
      records.map(({ fingerprint }) => fingerprint),
      records.map(({ sealedReply }) => sealedReply),
    ]);
    return rows.length;
  }

  /** @returns the number of deleted records, at most `limit` */
  deleteExpired(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, IdempotencyRecordEntity, { since: 'old.expiresAt' }, limit);
  }
}
