import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { EventKind } from './event-catalogue.js';
import type { WebhookFormat } from './webhook.entity.js';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * One message to one webhook: outbox, queue and history in one row. It is written in the event's transaction, claimed
 * under a lease, and kept with its result.
 */
@Entity('webhook_deliveries')
@Index('webhook_deliveries_due_idx', ['webhookId', 'nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
@Index('webhook_deliveries_webhook_id_id_idx', ['webhookId', 'id'])
@Index('webhook_deliveries_webhook_id_event_id_idx', ['webhookId', 'event', 'id'])
@Index('webhook_deliveries_settled_idx', ['createdAt'], { where: "status <> 'pending'" })
@Index('webhook_deliveries_unsuccessful_idx', ['webhookId', 'id'], { where: "status <> 'succeeded'" })
@Check('webhook_deliveries_status_check', "status IN ('pending', 'succeeded', 'failed')")
@Check('webhook_deliveries_pending_check', "(next_attempt_at IS NOT NULL) = (status = 'pending')")
export class WebhookDeliveryEntity {
  /** Also the message's `webhook-id`. */
  @PrimaryColumn('uuid', {
    primaryKeyConstraintName: 'webhook_deliveries_pkey',
    default: () => 'make_uuidv7()',
  })
  id: string;

  @Column('uuid', { name: 'webhook_id' })
  @ForeignKey('WebhookEntity', { name: 'webhook_deliveries_webhook_id_fkey', onDelete: 'CASCADE' })
  webhookId: string;

  @Column('text')
  event: EventKind;

  /** The webhook's format when the message was made, which the payload has. */
  @Column('text', { default: 'standard' })
  format: WebhookFormat;

  /** The body, with the bytes that every attempt sends. */
  @Column('text')
  payload: string;

  /** Trace of the request that made the event (https://www.w3.org/TR/trace-context), if it was traced. */
  @Column('text', { nullable: true })
  traceparent: string | null;

  @Column('text', { default: 'pending' })
  status: DeliveryStatus;

  /** The status of the last answer; null if there was none. */
  @Column('integer', { name: 'status_code', nullable: true })
  statusCode: number | null;

  @Column('text', { name: 'response_body', nullable: true })
  responseBody: string | null;

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage: string | null;

  /** Number of attempts begun. It only grows, so it identifies a lease. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** Failed attempts since the message was queued: the position in the retry schedule. */
  @Column('smallint', { default: 0 })
  failures: number;

  /** If leased, the end of the lease; else the time of the next attempt; null if there will be none. */
  @TimestampColumn({ name: 'next_attempt_at', nullable: true })
  nextAttemptAt: string | null;

  /** True while an attempt is under way, until `next_attempt_at` at most. */
  @Column('boolean', { name: 'is_leased', default: false })
  isLeased: boolean;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'delivered_at', nullable: true })
  deliveredAt: string | null;
}
