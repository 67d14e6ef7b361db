import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { readSqlPage } from '../database/read-sql-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { Webhook } from './webhook.types.js';

const COLUMNS = `id, user_id AS "userId", url, events, description, is_active AS "isActive",
  disabled_reason AS "disabledReason", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** A secret as it is kept. */
export interface KeptSecret {
  readonly webhookId: string;
  readonly secret: string;
  readonly previousSecret: string | null;
}

/** SQL by hand: secrets stay out of what is returned, and changes are computed from the row as it is. */
@Injectable()
export class WebhooksRepository {
  /**
   * Locks the user's row first: creations of one user count one after the other, so that racing ones never make more
   * than `maximum`.
   *
   * @returns null when the user has `maximum` of them already
   */
  async insert(
    tx: Transaction,
    webhook: Pick<Webhook, 'id' | 'userId' | 'url' | 'events' | 'description' | 'isActive'> & {
      secret: string;
    },
    maximum: number,
  ): Promise<Webhook | null> {
    await rowsOf(tx, 'SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [webhook.userId]);
    // A statement of its own: it sees what was committed while this one waited for the lock.
    const [row] = await rowsOf<Webhook>(
      tx,
      `INSERT INTO webhooks (id, user_id, url, events, description, is_active, secret)
       SELECT $1, $2, $3, $4, $5, $6, $7
       WHERE (SELECT count(*) FROM webhooks WHERE user_id = $2 AND deleted_at IS NULL) < $8
       RETURNING ${COLUMNS}`,
      [
        webhook.id,
        webhook.userId,
        webhook.url,
        webhook.events,
        webhook.description,
        webhook.isActive,
        webhook.secret,
        maximum,
      ],
    );
    return row ?? null;
  }

  /** Newest first. Rows are small: a URL and a description, 4,048 characters together at most. */
  list(connection: Connection, userId: string, request: PageRequest): Promise<Page<Webhook>> {
    return readSqlPage<Webhook>(
      connection,
      {
        columns: COLUMNS,
        from: 'webhooks',
        where: 'user_id = $1 AND deleted_at IS NULL',
        orderBy: 'id DESC',
        parameters: [userId],
      },
      request,
    );
  }

  async find(connection: Connection, userId: string, id: string): Promise<Webhook | null> {
    const [row] = await rowsOf<Webhook>(
      connection,
      `SELECT ${COLUMNS} FROM webhooks WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL`,
      [id, userId],
    );
    return row ?? null;
  }

  /**
   * Undefined keeps, null clears. Switched on again, or led elsewhere, it begins with a clean slate.
   *
   * @returns null when the user has no such webhook
   */
  async update(
    tx: Transaction,
    userId: string,
    id: string,
    change: Partial<Pick<Webhook, 'url' | 'events' | 'description' | 'isActive'>>,
  ): Promise<Webhook | null> {
    const [row] = await rowsOf<Webhook>(
      tx,
      `UPDATE webhooks
       SET url = coalesce($3, url), events = coalesce($4, events),
         description = CASE WHEN $5 THEN $6 ELSE description END, is_active = coalesce($7, is_active),
         disabled_reason = CASE WHEN $7 THEN NULL ELSE disabled_reason END,
         failing_since = CASE WHEN $7 OR $3 <> url THEN NULL ELSE failing_since END,
         updated_at = now()
       WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL
       RETURNING ${COLUMNS}`,
      [
        id,
        userId,
        change.url,
        change.events,
        change.description !== undefined,
        change.description ?? null,
        change.isActive,
      ],
    );
    return row ?? null;
  }

  /**
   * The secret in use becomes the previous one.
   *
   * @param previousSignsForHours how long that one still signs
   * @returns null when the user has no such webhook
   */
  async replaceSecret(
    tx: Transaction,
    userId: string,
    id: string,
    secret: string,
    previousSignsForHours: number,
  ): Promise<Webhook | null> {
    const [row] = await rowsOf<Webhook>(
      tx,
      `UPDATE webhooks
       SET previous_secret = secret, previous_secret_until = now() + make_interval(hours => $4), secret = $3,
         updated_at = now()
       WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL
       RETURNING ${COLUMNS}`,
      [id, userId, secret, previousSignsForHours],
    );
    return row ?? null;
  }

  /** @returns whether the user had such a webhook */
  async markDeleted(tx: Transaction, userId: string, id: string): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `UPDATE webhooks SET deleted_at = now(), is_active = false
       WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL RETURNING id`,
      [id, userId],
    );
    return rows.length > 0;
  }

  /** Ids of webhooks that are marked as deleted, in their order, after one of them. */
  async listDeleted(connection: Connection, afterId: string, limit: number): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      connection,
      'SELECT id FROM webhooks WHERE deleted_at IS NOT NULL AND id > $1 ORDER BY id LIMIT $2',
      [afterId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes deliveries of a webhook that is marked as deleted and, after the last of them, the webhook.
   *
   * @param limit deliveries at once
   * @returns whether there are more
   */
  async purge(connection: Connection, id: string, limit: number): Promise<boolean> {
    const gone = await rowsOf(
      connection,
      `DELETE FROM webhook_deliveries
       WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id LIMIT $2) RETURNING 1`,
      [id, limit],
    );
    if (gone.length === limit) return true;
    await rowsOf(connection, 'DELETE FROM webhooks WHERE id = $1 AND deleted_at IS NOT NULL', [id]);
    return false;
  }

  /**
   * Secrets that were not kept under this seal, after a webhook in the order of their ids.
   *
   * @param sealPrefix how those begin that were
   */
  listSecretsNotUnder(
    connection: Connection,
    sealPrefix: string,
    afterId: string,
    limit: number,
  ): Promise<KeptSecret[]> {
    return rowsOf<KeptSecret>(
      connection,
      `SELECT id AS "webhookId", secret, previous_secret AS "previousSecret" FROM webhooks
       WHERE id > $2 AND NOT (starts_with(secret, $1) AND starts_with(coalesce(previous_secret, $1), $1))
       ORDER BY id LIMIT $3`,
      [sealPrefix, afterId, limit],
    );
  }

  /** Only where nobody replaced it meanwhile. */
  async rewriteSecret(connection: Connection, before: KeptSecret, after: KeptSecret): Promise<void> {
    await rowsOf(
      connection,
      `UPDATE webhooks SET secret = $3, previous_secret = $4
       WHERE id = $1 AND secret = $2 AND previous_secret IS NOT DISTINCT FROM $5`,
      [before.webhookId, before.secret, after.secret, after.previousSecret, before.previousSecret],
    );
  }
}
