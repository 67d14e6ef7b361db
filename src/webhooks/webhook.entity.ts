import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** Formats of messages. `standard` is a body of the Standard Webhooks specification; the others are for people. */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'text'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** An address that gets a project's messages, with its signing secret. */
@Entity('webhooks')
@Index('webhooks_user_id_id_idx', ['projectId', 'id'])
@Index('webhooks_deleted_idx', ['id'], { where: 'deleted_at IS NOT NULL' })
@Check('webhooks_format_check', "format IN ('standard', 'slack', 'text')")
export class WebhookEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webhooks_pkey' })
  id: string;

  @Column('uuid', { name: 'user_id' })
  @ForeignKey('ProjectEntity', { name: 'webhooks_project_fkey', onDelete: 'CASCADE' })
  projectId: string;

  /** The account that created it; null: that of the personal project. */
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy: string | null;

  @Column('text')
  url: string;

  /** Kinds, families (`deployment.*`) or `*`. */
  @Column('text', { array: true })
  events: string[];

  @Column('text', { default: 'standard' })
  format: WebhookFormat;

  /** True: messages about runs have their input and output, too. */
  @Column('boolean', { name: 'include_payloads', default: false })
  includePayloads: boolean;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('boolean', { name: 'is_active' })
  isActive: boolean;

  /** The reason if the service switched it off; null if its owner did. */
  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason: string | null;

  /** The secret that signs its messages, encrypted if the service has a key (`SigningSecretCipher`). */
  @Column('text', { select: false })
  secret: string;

  /** The previous secret, which also signs until the time below. */
  @Column('text', { name: 'previous_secret', nullable: true, select: false })
  previousSecret: string | null;

  @TimestampColumn({ name: 'previous_secret_until', nullable: true })
  previousSecretUntil: string | null;

  /** The beginning of a series of failures only; null after a success. */
  @TimestampColumn({ name: 'failing_since', nullable: true })
  failingSince: string | null;

  /** The status of the last attempt; null before the first one, and if there was no answer. Tests don't count. */
  @Column('integer', { name: 'last_status_code', nullable: true })
  lastStatusCode: number | null;

  /** Set when no route returns the webhook any more; the row is deleted after its deliveries. */
  @TimestampColumn({ name: 'deleted_at', nullable: true })
  deletedAt: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;
}
