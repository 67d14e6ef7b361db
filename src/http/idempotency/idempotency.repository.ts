import { Injectable } from '@nestjs/common';
import { rowsOf } from '../../database/sql.js';
import type { Transaction } from '../../database/transaction.types.js';
import { IdempotencyRecordEntity } from './idempotency.entity.js';

@Injectable()
export class IdempotencyRepository {
  /** Whether no other request with this key is running; held until the transaction ends. */
  async tryLock(tx: Transaction, keyHash: Buffer): Promise<boolean> {
    const [row] = await rowsOf<{ locked: boolean }>(tx, 'SELECT pg_try_advisory_xact_lock($1) AS locked', [
      keyHash.readBigInt64BE().toString(),
    ]);
    return row?.locked === true;
  }

  async find(tx: Transaction, keyHash: Buffer): Promise<IdempotencyRecordEntity | null> {
    return tx
      .getRepository(IdempotencyRecordEntity)
      .createQueryBuilder('record')
      .where('record.keyHash = :keyHash AND record.expiresAt > now()', { keyHash })
      .getOne();
  }

  /** Replaces an expired record of the same key. */
  async save(tx: Transaction, record: Omit<IdempotencyRecordEntity, 'expiresAt'>): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO idempotency_records (key_hash, fingerprint, status_code, sealed_reply, expires_at)
       VALUES ($1, $2, $3, $4, now() + interval '24 hours')
       ON CONFLICT (key_hash) DO UPDATE SET fingerprint = excluded.fingerprint,
         status_code = excluded.status_code, sealed_reply = excluded.sealed_reply, expires_at = excluded.expires_at`,
      [record.keyHash, record.fingerprint, record.statusCode, record.sealedReply],
    );
  }

  async deleteExpired(tx: Transaction): Promise<void> {
    await rowsOf(tx, 'DELETE FROM idempotency_records WHERE expires_at <= now()');
  }
}
