import { Injectable } from '@nestjs/common';
import { CLOCK } from '../database/clock.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { Allotment } from './endpoint-slots.js';
import { type EventKind, TEST_KIND } from './event-catalogue.js';
import { LISTENS } from './outbox.repository.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import type { WebhookFormat } from './webhook.entity.js';
import type { ClaimedDelivery, RecordedAttempt } from './webhook.types.js';

/** Days of failures only, after which a webhook is switched off. */
const FAILING_DAYS = 5;
/** The reason for the switch-off, as a text for the owner. */
const ENDPOINT_GONE = 'The endpoint answered 410 Gone';
const GIVEN_UP = 'Every attempt has failed for five days';

const CLAIMED = `delivery.id, delivery.webhook_id AS "webhookId", webhook.url, delivery.format, delivery.payload,
  webhook.secret, CASE WHEN webhook.previous_secret_until > clock.at THEN webhook.previous_secret END AS "previousSecret",
  delivery.attempts AS attempt, delivery.failures, delivery.traceparent`;

export interface DeliveryBacklog {
  /** Number of unsent messages, including retries that are not due yet. */
  readonly pending: number;
  readonly due: number;
  readonly overdueSeconds: number;
}

export interface SwitchedOff {
  readonly id: string;
  readonly projectId: string;
  readonly reason: string;
}

export interface QueuedWebhook {
  readonly webhookId: string;
  readonly isDue: boolean;
  /** False: the webhook is inactive or deleted, or its account is deactivated. Its queue must be cancelled. */
  readonly listens: boolean;
}

/**
 * The queue: the rows of `webhook_deliveries` that are not sent yet, which `OutboxRepository` adds. Claims, records and releases are single statements
 * and commit by themselves, because messages must not be sent inside a transaction. SQL by hand except for `backlog`:
 * each statement works on many rows at once with `unnest`, CTEs or `SKIP LOCKED`.
 */
@Injectable()
export class DeliveryQueueRepository {
  /** Counts the unsent messages; the partial index of the queue serves it. */
  async backlog(connection: Connection): Promise<DeliveryBacklog> {
    const isDue = 'FILTER (WHERE delivery.nextAttemptAt <= now())';
    const found = await connection
      .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
      .select('count(*)::int', 'pending')
      .addSelect(`count(*) ${isDue}::int`, 'due')
      .addSelect(
        `coalesce(extract(epoch FROM now() - min(delivery.nextAttemptAt) ${isDue}), 0)::float8`,
        'overdueSeconds',
      )
      .where('delivery.nextAttemptAt IS NOT NULL')
      .getRawOne<DeliveryBacklog>();
    return found!;
  }

  /** Inserts a message to one webhook, active or not, and leases it at once, because its sender waits. */
  async insertLeased(
    tx: Transaction,
    webhookId: string,
    kind: EventKind,
    format: WebhookFormat,
    payload: string,
    leaseSeconds: number,
  ): Promise<ClaimedDelivery> {
    const [row] = await rowsOf<ClaimedDelivery>(
      tx,
      `WITH delivery AS (
         INSERT INTO webhook_deliveries (webhook_id, event, format, payload, attempts, is_leased, next_attempt_at)
         VALUES ($1, $2, $3, $4, 1, true, now() + make_interval(secs => $5))
         RETURNING *
       )
       SELECT ${CLAIMED} FROM ${CLOCK}, delivery JOIN webhooks AS webhook ON webhook.id = delivery.webhook_id`,
      [webhookId, kind, format, payload, leaseSeconds],
    );
    return row!;
  }

  /**
   * Lists the webhooks with messages in the queue. The statement steps from one to the next through the index, so the
   * backlog of one costs no more than a single message, and the cost of a call is bounded.
   *
   * @param after the webhook id after which the list begins
   * @param limit maximum number of webhooks
   */
  async look(connection: Connection, after: string, limit: number): Promise<QueuedWebhook[]> {
    return rowsOf<QueuedWebhook>(
      connection,
      `WITH RECURSIVE queued AS (
         (SELECT webhook_id, next_attempt_at, 1 AS place FROM webhook_deliveries
          WHERE next_attempt_at IS NOT NULL AND webhook_id > $1
          ORDER BY webhook_id, next_attempt_at LIMIT 1)
         UNION ALL
         SELECT following.webhook_id, following.next_attempt_at, queued.place + 1
         FROM queued CROSS JOIN LATERAL (
           SELECT webhook_id, next_attempt_at FROM webhook_deliveries
           WHERE next_attempt_at IS NOT NULL AND webhook_id > queued.webhook_id
           ORDER BY webhook_id, next_attempt_at LIMIT 1
         ) AS following
         WHERE queued.place < $2
       )
       SELECT queued.webhook_id AS "webhookId", queued.next_attempt_at <= now() AS "isDue",
         ${LISTENS} AS listens
       FROM queued JOIN webhooks AS webhook ON webhook.id = queued.webhook_id
       ORDER BY queued.place`,
      [after, limit],
    );
  }

  /**
   * Leases due messages, to each webhook at most its share. Two instances get different rows or none: by `SKIP LOCKED`
   * if they run at the same time, by the repeated condition if one runs second. The commit does not wait for the disk:
   * if a crash of the database loses a lease, a message is sent twice.
   *
   * @param shares maximum for each webhook, in the order in which they are served
   * @param limit maximum number of deliveries
   * @param leaseSeconds time after which an unrecorded delivery is due again
   */
  async claim(
    connection: Connection,
    shares: Allotment['shares'],
    limit: number,
    leaseSeconds: number,
  ): Promise<ClaimedDelivery[]> {
    return rowsOf<ClaimedDelivery>(
      connection,
      `WITH async_commit AS MATERIALIZED (
         SELECT set_config('synchronous_commit', 'off', true)
       ), due AS MATERIALIZED (
         SELECT delivery.id
         FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS share (webhook_id, slots, place)
         CROSS JOIN LATERAL (
           SELECT id FROM webhook_deliveries
           WHERE webhook_id = share.webhook_id AND next_attempt_at <= now()
           ORDER BY next_attempt_at LIMIT share.slots
           FOR UPDATE SKIP LOCKED
         ) AS delivery
         LIMIT $3
       )
       UPDATE webhook_deliveries AS delivery
       SET attempts = delivery.attempts + 1, is_leased = true, next_attempt_at = now() + make_interval(secs => $4)
       FROM due, async_commit, ${CLOCK}, webhooks AS webhook
       WHERE delivery.id = due.id AND webhook.id = delivery.webhook_id AND webhook.is_active
       RETURNING ${CLAIMED}`,
      [shares.map(({ endpointId }) => endpointId), shares.map(({ slots }) => slots), limit, leaseSeconds],
    );
  }

  /**
   * Writes the results of attempts, each only while its lease is the delivery's latest, and the health of the webhooks,
   * only if it changes. A 410, or failures for longer than the limit, switches a webhook off. Tests don't affect the
   * webhook: their sender gets the result.
   *
   * @returns webhooks that this call switched off
   */
  async record(connection: Connection, attempts: readonly RecordedAttempt[]): Promise<SwitchedOff[]> {
    const rows = await rowsOf<SwitchedOff & { isSwitchedOff: boolean }>(
      connection,
      `WITH attempt AS (
         SELECT *, now() AS at, now() + make_interval(secs => retry_in) AS retry_at
         FROM unnest($1::uuid[], $2::int[], $3::boolean[], $4::int[], $5::text[], $6::text[], $7::float8[])
           AS attempt (id, number, succeeded, status_code, response_body, error_message, retry_in)
       ), recorded AS (
         UPDATE webhook_deliveries AS delivery
         SET status = CASE WHEN succeeded THEN 'succeeded' WHEN retry_in IS NULL THEN 'failed' ELSE 'pending' END,
           status_code = attempt.status_code, response_body = attempt.response_body,
           error_message = attempt.error_message,
           failures = delivery.failures + CASE WHEN succeeded THEN 0 ELSE 1 END,
           next_attempt_at = CASE WHEN NOT succeeded THEN retry_at END,
           is_leased = false,
           delivered_at = CASE WHEN succeeded THEN attempt.at ELSE delivery.delivered_at END
         FROM attempt
         WHERE delivery.id = attempt.id AND delivery.attempts = attempt.number AND delivery.is_leased
         RETURNING delivery.webhook_id, delivery.event, attempt.succeeded, attempt.status_code
       ), health AS (
         SELECT webhook_id, bool_or(succeeded) AS succeeded, coalesce(bool_or(status_code = 410), false) AS is_gone,
           coalesce(max(status_code) FILTER (WHERE succeeded), max(status_code)) AS status_code
         FROM recorded WHERE event <> $11 GROUP BY webhook_id
       ), before AS (
         SELECT webhook.id, webhook.is_active FROM webhooks AS webhook JOIN health ON health.webhook_id = webhook.id
         WHERE is_gone OR succeeded = (failing_since IS NOT NULL)
            OR health.status_code IS DISTINCT FROM webhook.last_status_code
           OR failing_since <= now() - make_interval(days => $8)
         FOR NO KEY UPDATE OF webhook
       )
       UPDATE webhooks AS webhook
       SET failing_since = CASE WHEN NOT succeeded THEN coalesce(failing_since, clock.at) END,
         last_status_code = health.status_code,
         is_active = webhook.is_active AND NOT is_gone
           AND (succeeded OR coalesce(failing_since, clock.at) > clock.given_up),
         disabled_reason = CASE WHEN NOT webhook.is_active THEN disabled_reason WHEN is_gone THEN $9
           WHEN NOT succeeded AND failing_since <= clock.given_up THEN $10 END
       FROM (VALUES (now(), now() - make_interval(days => $8))) AS clock (at, given_up),
         health JOIN before ON before.id = health.webhook_id
       WHERE webhook.id = before.id
       RETURNING webhook.id, webhook.user_id AS "projectId", webhook.disabled_reason AS reason,
          before.is_active AND NOT webhook.is_active AS "isSwitchedOff"`,
      [
        attempts.map(({ id }) => id),
        attempts.map(({ attempt }) => attempt),
        attempts.map(({ result }) => result.succeeded),
        attempts.map(({ result }) => result.statusCode),
        attempts.map(({ result }) => result.responseBody),
        attempts.map(({ result }) => result.errorMessage),
        attempts.map(({ retryInSeconds }) => retryInSeconds),
        FAILING_DAYS,
        ENDPOINT_GONE,
        GIVEN_UP,
        TEST_KIND,
      ],
    );
    return rows.filter(({ isSwitchedOff }) => isSwitchedOff);
  }

  /** Returns a leased delivery to the queue, where it is due at once. */
  async release(
    connection: Connection,
    leases: readonly Pick<ClaimedDelivery, 'id' | 'attempt'>[],
  ): Promise<void> {
    await rowsOf(
      connection,
      `UPDATE webhook_deliveries AS delivery SET is_leased = false, next_attempt_at = now()
       FROM unnest($1::uuid[], $2::int[]) AS lease (id, number)
       WHERE delivery.id = lease.id AND delivery.attempts = lease.number AND delivery.is_leased`,
      [leases.map(({ id }) => id), leases.map(({ attempt }) => attempt)],
    );
  }

  /**
   * Cancels the queue of a webhook that accepts no messages any more; attempts under way are left to their leases.
   *
   * @param limit maximum number of deliveries
   * @returns the number of cancelled deliveries
   */
  async cancel(connection: Connection, webhookId: string, reason: string, limit: number): Promise<number> {
    const rows = await rowsOf(
      connection,
      `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, is_leased = false, error_message = $2
       WHERE id IN (
         SELECT id FROM webhook_deliveries
         WHERE webhook_id = $1 AND next_attempt_at IS NOT NULL AND NOT (is_leased AND next_attempt_at > now())
         LIMIT $3 FOR UPDATE SKIP LOCKED
       )
       RETURNING id`,
      [webhookId, reason, limit],
    );
    return rows.length;
  }
}
