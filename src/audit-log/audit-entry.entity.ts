import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { AuditAction, AuditOutcome, AuditTargetType } from './audit-actions.js';

/**
 * An entry of the audit log. Append-only: a trigger refuses changes, and deletions of the last 30 days. No foreign
 * keys, because entries stay after their targets. What an entry says of a person, `address`, `requestId` and `details`, is erased
 * when the account is deleted.
 */
@Entity('audit_log')
@Check('audit_log_outcome_check', "outcome IN ('success', 'refused')")
@Index('audit_log_user_id_id_idx', ['userId', 'id'])
@Index('audit_log_owner_id_id_idx', ['projectId', 'id'])
@Index('audit_log_actor_id_idx', ['actor', 'id'])
@Index('audit_log_action_id_idx', ['action', 'id'])
@Index('audit_log_target_id_id_idx', ['targetId', 'id'])
@Index('audit_log_outcome_id_idx', ['outcome', 'id'])
@Index('audit_log_agent_id_id_idx', { synchronize: false })
export class AuditEntryEntity {
  /** A UUID of version 7; its time is `at`. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'audit_log_pkey' })
  id: string;

  @TimestampColumn()
  at: string;

  /** `user:<id>`, `key:<id>`, `agent:<id>`, `anonymous` or `service`. */
  @Column('text')
  actor: string;

  @Column('text')
  action: AuditAction;

  @Column('text', { name: 'target_type' })
  targetType: AuditTargetType;

  @Column('uuid', { name: 'target_id', nullable: true })
  targetId: string | null;

  @Column('text')
  outcome: AuditOutcome;

  @Column('text', { nullable: true })
  address: string | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;

  @Column('jsonb')
  details: Readonly<Record<string, unknown>>;

  /** The account that acted, directly or by a key. */
  @Column('uuid', { name: 'user_id', nullable: true, select: false })
  userId: string | null;

  /** The project that owns the target. */
  @Column('uuid', { name: 'owner_id', nullable: true })
  projectId: string | null;

  /**
   * The database's random salt for the hash of personal data, which the chain covers; null: that was erased, or
   * the entry is older than erasures.
   */
  @Column({
    type: 'bytea',
    nullable: true,
    select: false,
    insert: false,
    default: () => 'uuid_send(gen_random_uuid())',
  })
  salt: Buffer | null;

  /** The hash that remains of erased data; empty: an entry without a salt. Null: nothing was erased. */
  @Column({ type: 'bytea', name: 'erased_hash', nullable: true, select: false, insert: false })
  erasedHash: Buffer | null;
}
