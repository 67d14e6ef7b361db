import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { readSqlPage } from '../database/read-sql-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { DeliveryFilter, WebhookDelivery } from './webhook.types.js';

const COLUMNS = `id, webhook_id AS "webhookId", event, payload, status, status_code AS "statusCode",
  response_body AS "responseBody", error_message AS "errorMessage", attempts, next_attempt_at AS "nextAttemptAt",
  created_at AS "createdAt", delivered_at AS "deliveredAt"`;

/** An attempt that is under way must not get company. */
const NOT_UNDER_WAY = 'NOT (is_leased AND next_attempt_at > now())';

/**
 * The history. Whoever asks has shown already that the webhook is theirs. SQL by hand: conditions that partial indexes
 * serve, and many rows at once.
 */
@Injectable()
export class WebhookDeliveriesRepository {
  /** Newest first. */
  list(
    connection: Connection,
    webhookId: string,
    filter: DeliveryFilter,
    request: PageRequest,
  ): Promise<Page<WebhookDelivery>> {
    // Written out, not bound: the partial index of what did not succeed is used for a constant only.
    const bySuccess =
      filter.success === undefined ? '' : ` AND status ${filter.success ? '=' : '<>'} 'succeeded'`;
    return readSqlPage<WebhookDelivery>(
      connection,
      {
        columns: COLUMNS,
        from: 'webhook_deliveries',
        where: `webhook_id = $1 AND ($2::text IS NULL OR event = $2)${bySuccess}`,
        orderBy: 'id DESC',
        parameters: [webhookId, filter.event ?? null],
        bytes: 'octet_length(payload) + coalesce(octet_length("responseBody"), 0)',
      },
      request,
    );
  }

  async find(tx: Transaction, webhookId: string, id: string): Promise<WebhookDelivery | null> {
    const [row] = await rowsOf<WebhookDelivery>(
      tx,
      `SELECT ${COLUMNS} FROM webhook_deliveries WHERE id = $2 AND webhook_id = $1`,
      [webhookId, id],
    );
    return row ?? null;
  }

  /** Due now, at the beginning of the retry schedule; unless an attempt is under way. */
  async requeue(tx: Transaction, webhookId: string, id: string): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE webhook_deliveries
       SET status = 'pending', next_attempt_at = now(), failures = 0, is_leased = false
       WHERE id = $2 AND webhook_id = $1 AND (next_attempt_at IS NULL OR ${NOT_UNDER_WAY})`,
      [webhookId, id],
    );
  }

  /**
   * As {@link requeue}, what has failed for good, oldest first.
   *
   * @param since of the event
   * @param limit deliveries at once
   * @returns how many
   */
  async requeueFailed(tx: Transaction, webhookId: string, since: Date, limit: number): Promise<number> {
    const rows = await rowsOf(
      tx,
      `UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = now(), failures = 0
       WHERE id IN (
         SELECT id FROM webhook_deliveries
         WHERE webhook_id = $1 AND status <> 'succeeded' AND status = 'failed' AND created_at >= $2
         ORDER BY id LIMIT $3 FOR UPDATE
       )
       RETURNING id`,
      [webhookId, since, limit],
    );
    return rows.length;
  }

  /**
   * Deletes what was settled and created so many days ago, by the database's clock. Whatever is still to be sent stays.
   *
   * @returns how many, at most `limit`
   */
  async deleteSettled(connection: Connection, retentionDays: number, limit: number): Promise<number> {
    const rows = await rowsOf(
      connection,
      `DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
         SELECT id FROM webhook_deliveries
         WHERE status <> 'pending' AND created_at < now() - make_interval(days => $1)
         ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))
       RETURNING 1`,
      [retentionDays, limit],
    );
    return rows.length;
  }
}
