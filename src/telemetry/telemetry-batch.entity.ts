import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const PRIMARY_KEY = 'telemetry_batches_pkey';

/**
 * A batch of logs or metrics that was stored under an `Idempotency-Key`, or an OpenTelemetry export that is identified
 * by its body, kept for 24 hours. Unlike its rows it is not partitioned by time, because a key must be unique across
 * midnight.
 */
@Entity('telemetry_batches')
@Index('telemetry_batches_expires_at_idx', ['expiresAt'])
export class TelemetryBatchEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: PRIMARY_KEY })
  agentId: string;

  @PrimaryColumn('bytea', { name: 'key_hash', primaryKeyConstraintName: PRIMARY_KEY })
  keyHash: Buffer;

  /** Hash of route and body: the same key with another hash is refused. */
  @Column('bytea')
  fingerprint: Buffer;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: string;

  /** The statement that stored the batch: any other one that finds the key is a repetition. */
  @Column('uuid', { name: 'stored_by', nullable: true })
  storedBy: string | null;

  /** The transaction that stored the batch. Only the version before reads it. */
  @Column('bigint', { name: 'transaction_id', nullable: true })
  transactionId: string | null;
}
