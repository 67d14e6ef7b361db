import { Inject, Injectable } from '@nestjs/common';
import {
  IsNull,
  MoreThan,
  Not,
  type QueryDeepPartialEntity,
  type SelectQueryBuilder,
  type UpdateQueryBuilder,
} from 'typeorm';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { columnsOf, deleteFound, returnedRows, selectRows } from '../database/entity-rows.js';
import { holdUser } from '../database/hold-user.js';
import type { Page, PageRequest } from '../database/page.js';
import { readNewest } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookEntity } from './webhook.entity.js';
import type { FailingWebhook, Webhook } from './webhook.types.js';

const COLUMNS = columnsOf(WebhookEntity);

export interface KeptSecret {
  readonly webhookId: string;
  readonly secret: string;
  readonly previousSecret: string | null;
}

@Injectable()
export class WebhooksRepository {
  /** Maximum number of webhooks of a user. Each event is written once for each of them. */
  readonly maximum: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'MAX_WEBHOOKS_PER_USER'>) {
    this.maximum = settings.MAX_WEBHOOKS_PER_USER;
  }

  /**
   * Inserts a webhook. By hand: an INSERT with a condition.
   *
   * @returns null if the user has {@link maximum} webhooks already
   */
  async insert(
    tx: Transaction,
    webhook: Pick<Webhook, 'id' | 'userId' | 'url' | 'events' | 'format' | 'description' | 'isActive'> & {
      secret: string;
    },
  ): Promise<Webhook | null> {
    await holdUser(tx, webhook.userId);
    const [row] = await rowsOf<Webhook>(
      tx,
      `INSERT INTO webhooks (id, user_id, url, events, description, is_active, secret, format)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8
       WHERE (SELECT count(*) FROM webhooks WHERE user_id = $2 AND deleted_at IS NULL) < $9
       RETURNING ${COLUMNS}`,
      [
        webhook.id,
        webhook.userId,
        webhook.url,
        webhook.events,
        webhook.description,
        webhook.isActive,
        webhook.secret,
        webhook.format,
        this.maximum,
      ],
    );
    return row ?? null;
  }

  /** Lists webhooks, newest first. Rows are small: a URL and a description, 4,048 characters together at most. */
  list(connection: Connection, userId: string, request: PageRequest): Promise<Page<Webhook>> {
    const webhooks = selectRows(connection, WebhookEntity, 'webhook');
    return readNewest(connection, webhooks.where({ userId, deletedAt: IsNull() }), request);
  }

  /** Lists failing webhooks, the longest failing one first. Those that their owner switched off are left out. */
  listFailing(connection: Connection, userId: string): Promise<FailingWebhook[]> {
    const lastError = connection
      .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
      .select("coalesce(delivery.errorMessage, 'Status ' || delivery.statusCode)")
      // Constants, not parameters: PostgreSQL then uses the partial index of unsuccessful deliveries.
      .where("delivery.webhookId = webhook.id AND delivery.status <> 'succeeded' AND delivery.attempts > 0")
      .orderBy('delivery.id', 'DESC')
      .limit(1);
    return selectRows(connection, WebhookEntity, 'webhook', ['id', 'url', 'failingSince'])
      .addSelect(`(${lastError.getQuery()})`, 'errorMessage')
      .where({ userId, deletedAt: IsNull(), failingSince: Not(IsNull()) })
      .andWhere('(webhook.isActive OR webhook.disabledReason IS NOT NULL)')
      .orderBy('webhook.failingSince')
      .getRawMany<FailingWebhook>();
  }

  async findOwned(connection: Connection, ownerId: string, id: string): Promise<Webhook | null> {
    const row = await selectOne(connection, id).andWhere({ userId: ownerId }).getRawOne<Webhook>();
    return row ?? null;
  }

  /** Finds a webhook of any owner. */
  async find(connection: Connection, id: string): Promise<Webhook | null> {
    return (await selectOne(connection, id).getRawOne<Webhook>()) ?? null;
  }

  /**
   * Undefined keeps a property, null clears it. An activation or another URL resets the health to unknown.
   *
   * @returns null if the user has no such webhook
   */
  updateOwned(
    tx: Transaction,
    userId: string,
    id: string,
    {
      url,
      events,
      format,
      description,
      isActive,
    }: Partial<Pick<Webhook, 'url' | 'events' | 'format' | 'description' | 'isActive'>>,
  ): Promise<Webhook | null> {
    const isRestarted = isActive === true;
    const healthColumn = (column: string) => {
      if (isRestarted) return null;
      return url === undefined ? undefined : () => `CASE WHEN url = :newUrl THEN ${column} END`;
    };
    return this.changeOwned(
      tx,
      userId,
      id,
      {
        url,
        events: events && [...events],
        format,
        description,
        isActive,
        disabledReason: isRestarted ? null : undefined,
        failingSince: healthColumn('failingSince'),
        lastStatusCode: healthColumn('lastStatusCode'),
      },
      { newUrl: url },
    );
  }

  /** Locks a webhook. @returns it and its secret as it is stored; null when the user has no such webhook */
  async lockOwnedSecret(
    tx: Transaction,
    userId: string,
    id: string,
  ): Promise<{ readonly webhook: Webhook; readonly stored: string } | null> {
    const row = await selectOne(tx, id)
      .addSelect('webhook.secret', 'stored')
      .andWhere({ userId })
      .setLock('for_no_key_update')
      .getRawOne<Webhook & { readonly stored: string }>();
    if (!row) return null;
    const { stored, ...webhook } = row;
    return { webhook, stored };
  }

  /**
   * Makes the current secret the previous one.
   *
   * @param previousSignsForHours time for which the previous secret still signs
   * @returns null if the user has no such webhook
   */
  replaceSecret(
    tx: Transaction,
    userId: string,
    id: string,
    secret: string,
    previousSignsForHours: number,
  ): Promise<Webhook | null> {
    return this.changeOwned(
      tx,
      userId,
      id,
      {
        secret,
        previousSecret: () => 'secret',
        previousSecretUntil: () => 'now() + make_interval(hours => :previousSignsForHours)',
      },
      { previousSignsForHours },
    );
  }

  /** @returns the owner; null if they have no such webhook */
  async markOwnedDeleted(tx: Transaction, ownerId: string, id: string): Promise<string | null> {
    const [row] = await returnedRows<DeletedWebhook>(updateDeleted(tx, id).andWhere({ userId: ownerId }));
    return row?.userId ?? null;
  }

  /** Marks a webhook of any owner as deleted. @returns its owner; null if there is no such webhook */
  async markDeleted(tx: Transaction, id: string): Promise<string | null> {
    const [row] = await returnedRows<DeletedWebhook>(updateDeleted(tx, id));
    return row?.userId ?? null;
  }

  /** Lists ids of webhooks that are marked as deleted, in order, after one of them. */
  async listDeleted(connection: Connection, afterId: string, limit: number): Promise<string[]> {
    const rows = await selectRows(connection, WebhookEntity, 'webhook', ['id'])
      .where({ id: MoreThan(afterId), deletedAt: Not(IsNull()) })
      .orderBy('webhook.id')
      .limit(limit)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes deliveries of a webhook that is marked as deleted and, after the last of them, the webhook.
   *
   * @param limit maximum number of deliveries
   * @returns true if there are more
   */
  async purge(connection: Connection, id: string, limit: number): Promise<boolean> {
    const deleted = await deleteFound(
      connection,
      connection
        .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
        .where({ webhookId: id })
        .orderBy('delivery.id')
        .limit(limit),
    );
    if (deleted === limit) return true;
    await connection.getRepository(WebhookEntity).delete({ id, deletedAt: Not(IsNull()) });
    return false;
  }

  /**
   * Lists secrets that are not encrypted under this key, after a webhook in the order of the ids.
   *
   * @param sealPrefix beginning of secrets that are
   */
  listSecretsNotUnder(
    connection: Connection,
    sealPrefix: string,
    afterId: string,
    limit: number,
  ): Promise<KeptSecret[]> {
    return selectRows(connection, WebhookEntity, 'webhook', ['secret', 'previousSecret'])
      .addSelect('webhook.id', 'webhookId')
      .where({ id: MoreThan(afterId) })
      .andWhere(
        'NOT (starts_with(webhook.secret, :sealPrefix) AND starts_with(coalesce(webhook.previousSecret, :sealPrefix), :sealPrefix))',
        { sealPrefix },
      )
      .orderBy('webhook.id')
      .limit(limit)
      .getRawMany<KeptSecret>();
  }

  /** Replaces a stored secret, unless it was changed in the meantime. */
  async rewriteSecret(connection: Connection, before: KeptSecret, after: KeptSecret): Promise<void> {
    await connection.getRepository(WebhookEntity).update(
      {
        id: before.webhookId,
        secret: before.secret,
        previousSecret: before.previousSecret ?? IsNull(),
      },
      { secret: after.secret, previousSecret: after.previousSecret },
    );
  }

  private async changeOwned(
    tx: Transaction,
    userId: string,
    id: string,
    change: QueryDeepPartialEntity<WebhookEntity>,
    parameters: object,
  ): Promise<Webhook | null> {
    const [row] = await returnedRows<Webhook>(
      tx
        .createQueryBuilder()
        .update(WebhookEntity)
        .set({ ...change, updatedAt: () => 'now()' })
        .where({ id, userId, deletedAt: IsNull() })
        .setParameters(parameters)
        .returning(COLUMNS),
    );
    return row ?? null;
  }
}

type DeletedWebhook = Pick<WebhookEntity, 'userId'>;

function selectOne(connection: Connection, id: string): SelectQueryBuilder<WebhookEntity> {
  return selectRows(connection, WebhookEntity, 'webhook').where({ id, deletedAt: IsNull() });
}

/** Returns the rows of {@link DeletedWebhook}. */
function updateDeleted(tx: Transaction, id: string): UpdateQueryBuilder<WebhookEntity> {
  return tx
    .createQueryBuilder()
    .update(WebhookEntity)
    .set({ deletedAt: () => 'now()', isActive: false })
    .where({ id, deletedAt: IsNull() })
    .returning(columnsOf(WebhookEntity, ['userId']));
}
