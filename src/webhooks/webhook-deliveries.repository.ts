import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readNewest, sentBytes } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import { TEST_KIND } from './event-catalogue.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import type { DeliveryFilter, WebhookDelivery } from './webhook.types.js';

/** SQL condition for a delivery without an attempt under way, so that a second one may begin. */
const NOT_UNDER_WAY = 'NOT (isLeased AND nextAttemptAt > now())';

/** Reads and changes the history of deliveries. The caller has checked the owner of the webhook. */
@Injectable()
export class WebhookDeliveriesRepository {
  /** Lists deliveries, newest first. */
  list(
    connection: Connection,
    webhookId: string,
    { event, success, since, until }: DeliveryFilter,
    request: PageRequest,
  ): Promise<Page<WebhookDelivery>> {
    const newestFirst = selectRows(connection, WebhookDeliveryEntity, 'delivery').where({
      webhookId,
      ...(event && { event }),
    });
    // A constant, not a parameter: PostgreSQL uses the partial index of what did not succeed for a constant only.
    if (success !== undefined) newestFirst.andWhere(`delivery.status ${success ? '=' : '<>'} 'succeeded'`);
    // The time in an id is that of its creation, never before `created_at`, so an index finds the first one.
    if (since) {
      newestFirst
        .andWhere('delivery.id >= :firstId', { firstId: uuidFloor(since) })
        .andWhere('delivery.createdAt >= :since', { since });
    }
    if (until) newestFirst.andWhere('delivery.createdAt < :until', { until });
    return readNewest(
      connection,
      newestFirst,
      request,
      sentBytes('payload', '"responseBody"', '"errorMessage"'),
    );
  }

  async find(tx: Transaction, webhookId: string, id: string): Promise<WebhookDelivery | null> {
    const row = await selectRows(tx, WebhookDeliveryEntity, 'delivery')
      .where({ id, webhookId })
      .getRawOne<WebhookDelivery>();
    return row ?? null;
  }

  /** Makes a delivery due now, at the beginning of the retry schedule, unless an attempt is under way. */
  async requeue(tx: Transaction, webhookId: string, id: string): Promise<void> {
    await tx
      .createQueryBuilder()
      .update(WebhookDeliveryEntity)
      .set({ status: 'pending', nextAttemptAt: () => 'now()', failures: 0, isLeased: false })
      .where({ id, webhookId })
      .andWhere(`(nextAttemptAt IS NULL OR ${NOT_UNDER_WAY})`)
      .execute();
  }

  /**
   * Makes failed deliveries due again, oldest first, except tests, whose sender has got the result; see {@link requeue}. By
   * hand: UPDATE has no LIMIT, and the redundant condition lets PostgreSQL use the partial index of unsuccessful ones.
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
         WHERE webhook_id = $1 AND status <> 'succeeded' AND status = 'failed' AND created_at >= $2 AND event <> $4
         ORDER BY id LIMIT $3 FOR UPDATE
       )
       RETURNING id`,
      [webhookId, since, limit, TEST_KIND],
    );
    return rows.length;
  }

  /**
   * Deletes settled deliveries that were created longer ago than a number of days by the database's clock. Unsent ones
   * stay.
   *
   * @returns the number of deleted deliveries, at most `limit`
   */
  deleteSettled(connection: Connection, retentionDays: number, limit: number): Promise<number> {
    const settled = { since: 'old.createdAt', days: retentionDays, where: "old.status <> 'pending'" };
    return deleteOld(connection, WebhookDeliveryEntity, settled, limit);
  }
}
