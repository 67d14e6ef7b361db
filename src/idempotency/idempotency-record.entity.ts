import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** A reply that is stored for 24 hours, encrypted; see `ReplyCipher`. */
@Entity('idempotency_records')
@Index('idempotency_records_expires_at_idx', ['expiresAt'])
export class IdempotencyRecordEntity {
  /** SHA-256 of the caller and the `Idempotency-Key`. */
  @PrimaryColumn('bytea', { name: 'key_hash', primaryKeyConstraintName: 'idempotency_records_pkey' })
  keyHash: Buffer;

  /** SHA-256 of method, path and body. */
  @Column('bytea')
  fingerprint: Buffer;

  @Column('bytea', { name: 'sealed_reply' })
  sealedReply: Buffer;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: string;
}
