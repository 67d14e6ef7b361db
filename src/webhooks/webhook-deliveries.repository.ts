import { Injectable } from '@nestjs/common';
import { deleteOld, selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readPage, sentBytes } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-floor.js';
import { TEST_KIND } from './event-catalogue.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import type { DeliveryFilter, WebhookDelivery } from './webhook.types.js';

/** An attempt is not under way: a second one must not begin beside it. */
const NOT_UNDER_WAY = 'NOT (isLeased AND nextAttemptAt > now())';

/** The history of deliveries. The caller has shown already that the webhook is theirs. */
@Injectable()
export class WebhookDeliveriesRepository {
  /** Newest first. */
  list(
    connection: Connection,
    webhookId: string,
    { event, success, since, until }: DeliveryFilter,
    request: PageRequest,
  ): Promise<Page<WebhookDelivery>> {
    const newestFirst = selectRows(connection, WebhookDeliveryEntity, 'delivery')
      .where({ webhookId, ...(event && { event }) })
      .orderBy('delivery.id', 'DESC');
    // A constant, not a parameter: PostgreSQL uses the partial index of what did not succeed for a constant only.
    if (success !== undefined) newestFirst.andWhere(`delivery.status ${success ? '=' : '<>'} 'succeeded'`);
    // The time in an id is that of its making, never before `created_at`: so an index leads to the first one.
    if (since) {
      newestFirst
        .andWhere('delivery.id >= :firstId', { firstId: uuidFloor(since) })
        .andWhere('delivery.createdAt >= :since', { since });
    }
    if (until) newestFirst.andWhere('delivery.createdAt < :until', { until });
    return readPage(
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

  /** Due now, at the beginning of the retry schedule; unless an attempt is under way. */
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
   * As {@link requeue}, what has failed for good, oldest first, but for tests: their person has seen what came of them. By
   * hand: UPDATE knows no LIMIT, and the condition that looks needless leads to the partial index of what did not succeed.
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
   * Deletes what was settled and created so many days ago, by the database's clock. Whatever is still to be sent stays.
   *
   * @returns how many, at most `limit`
   */
  deleteSettled(connection: Connection, retentionDays: number, limit: number): Promise<number> {
    const settled = { since: 'old.createdAt', days: retentionDays, where: "old.status <> 'pending'" };
    return deleteOld(connection, WebhookDeliveryEntity, settled, limit);
  }
}
