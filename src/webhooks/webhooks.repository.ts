import { Inject, Injectable } from '@nestjs/common';
import {
  In,
  IsNull,
  MoreThan,
  Not,
  type QueryDeepPartialEntity,
  type SelectQueryBuilder,
  type UpdateQueryBuilder,
} from 'typeorm';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { deleteFound } from '../database/deleted-rows.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import { holdProject } from '../http/held-project.js';
import { projectLimit } from '../http/project-limit.js';
import type { Page, PageRequest } from '../database/page.js';
import { OF_PROJECT, readNewestOf } from '../database/project-pages.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookEntity } from './webhook.entity.js';
import type { FailingWebhook, Webhook } from './webhook.types.js';

const COLUMNS = columnsOf(WebhookEntity);

@Injectable()
export class WebhooksRepository {
  /** Webhooks that a project without a limit of its own may have. Each event is written once for each of them. */
  private readonly maximum: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'MAX_WEBHOOKS_PER_PROJECT'>) {
    this.maximum = settings.MAX_WEBHOOKS_PER_PROJECT;
  }

  /**
   * Inserts a webhook. By hand: an INSERT with a condition.
   *
   * @returns the limit, a number, if the project has as many webhooks already
   * @throws NotFoundError if the project has been deleted
   */
  async insert(
    tx: Transaction,
    webhook: Pick<
      Webhook,
      | 'id'
      | 'projectId'
      | 'createdBy'
      | 'url'
      | 'events'
      | 'format'
      | 'includePayloads'
      | 'description'
      | 'isActive'
    > & {
      secret: string;
    },
  ): Promise<Webhook | number> {
    await holdProject(tx, webhook.projectId);
    const [row] = await rowsOf<Webhook>(
      tx,
      `INSERT INTO webhooks (id, user_id, url, events, description, is_active, secret, format, created_by, include_payloads)
       SELECT given.*
       FROM (VALUES ($1::uuid, $2::uuid, $3, $4::text[], $5, $6::boolean, $7, $8, $10::uuid, $11::boolean)) AS given
       WHERE (SELECT count(*) FROM webhooks WHERE user_id = $2 AND deleted_at IS NULL)
         < coalesce((SELECT maximum FROM project_limits WHERE project_id = $2 AND kind = 'webhooks'), $9)
       RETURNING ${COLUMNS}`,
      [
        webhook.id,
        webhook.projectId,
        webhook.url,
        webhook.events,
        webhook.description,
        webhook.isActive,
        webhook.secret,
        webhook.format,
        this.maximum,
        webhook.createdBy,
        webhook.includePayloads,
      ],
    );
    return row ?? projectLimit(tx, webhook.projectId, 'webhooks', this.maximum);
  }

  /** Lists webhooks, newest first. Rows are small: a URL and a description, 4,048 characters together at most. */
  list(connection: Connection, projectIds: readonly string[], request: PageRequest): Promise<Page<Webhook>> {
    const webhooks = selectRows(connection, WebhookEntity, 'webhook');
    const existing = webhooks.where(OF_PROJECT('webhook')).andWhere({ deletedAt: IsNull() });
    return readNewestOf(connection, projectIds, existing, request);
  }

  /** Lists failing webhooks, the longest failing one first. Those that their owner switched off are left out. */
  listFailing(connection: Connection, projectIds: readonly string[]): Promise<FailingWebhook[]> {
    const lastError = connection
      .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
      .select("coalesce(delivery.errorMessage, 'Status ' || delivery.statusCode)")
      // Constants, not parameters: PostgreSQL then uses the partial index of unsuccessful deliveries.
      .where("delivery.webhookId = webhook.id AND delivery.status <> 'succeeded' AND delivery.attempts > 0")
      .orderBy('delivery.id', 'DESC')
      .limit(1);
    return selectRows(connection, WebhookEntity, 'webhook', ['id', 'projectId', 'url', 'failingSince'])
      .addSelect(`(${lastError.getQuery()})`, 'errorMessage')
      .where({ projectId: In([...projectIds]), deletedAt: IsNull(), failingSince: Not(IsNull()) })
      .andWhere('(webhook.isActive OR webhook.disabledReason IS NOT NULL)')
      .orderBy('webhook.failingSince')
      .getRawMany<FailingWebhook>();
  }

  /** @param projectIds one of which owns the webhook; null: any */
  async find(
    connection: Connection,
    projectIds: readonly string[] | null,
    id: string,
  ): Promise<Webhook | null> {
    const one = selectOne(connection, id);
    if (projectIds) one.andWhere({ projectId: In([...projectIds]) });
    return (await one.getRawOne<Webhook>()) ?? null;
  }

  /**
   * Undefined keeps a property, null clears it. An activation or another URL resets the health to unknown.
   *
   * @returns null if the project has no such webhook
   */
  updateOwned(
    tx: Transaction,
    projectId: string,
    id: string,
    {
      url,
      events,
      format,
      includePayloads,
      description,
      isActive,
    }: Partial<Pick<Webhook, 'url' | 'events' | 'format' | 'includePayloads' | 'description' | 'isActive'>>,
  ): Promise<Webhook | null> {
    const isRestarted = isActive === true;
    const healthColumn = (column: string) => {
      if (isRestarted) return null;
      return url === undefined ? undefined : () => `CASE WHEN url = :newUrl THEN ${column} END`;
    };
    return this.changeOwned(
      tx,
      projectId,
      id,
      {
        url,
        events: events && [...events],
        format,
        includePayloads,
        description,
        isActive,
        disabledReason: isRestarted ? null : undefined,
        failingSince: healthColumn('failingSince'),
        lastStatusCode: healthColumn('lastStatusCode'),
      },
      { newUrl: url },
    );
  }

  /** Locks a webhook. @returns it and its secret as it is stored; null when the project has no such webhook */
  async lockOwnedSecret(
    tx: Transaction,
    projectId: string,
    id: string,
  ): Promise<{ readonly webhook: Webhook; readonly stored: string } | null> {
    const row = await selectOne(tx, id)
      .addSelect('webhook.secret', 'stored')
      .andWhere({ projectId })
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
   * @returns null if the project has no such webhook
   */
  replaceSecret(
    tx: Transaction,
    projectId: string,
    id: string,
    secret: string,
    previousSignsForHours: number,
  ): Promise<Webhook | null> {
    return this.changeOwned(
      tx,
      projectId,
      id,
      {
        secret,
        previousSecret: () => 'secret',
        previousSecretUntil: () => 'now() + make_interval(hours => :previousSignsForHours)',
      },
      { previousSignsForHours },
    );
  }

  /**
   * @param projectIds one of which owns the webhook; null: any
   * @returns its project; null if there is no such webhook
   */
  async markDeleted(
    tx: Transaction,
    projectIds: readonly string[] | null,
    id: string,
  ): Promise<DeletedWebhook | null> {
    const update = updateDeleted(tx, id);
    if (projectIds) update.andWhere({ projectId: In([...projectIds]) });
    const [row] = await returnedRows<DeletedWebhook>(update);
    return row ?? null;
  }

  async markDeletedOfProject(tx: Transaction, projectId: string): Promise<void> {
    await tx
      .getRepository(WebhookEntity)
      .update({ projectId, deletedAt: IsNull() }, { deletedAt: () => 'now()', isActive: false });
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

  private async changeOwned(
    tx: Transaction,
    projectId: string,
    id: string,
    change: QueryDeepPartialEntity<WebhookEntity>,
    parameters: object,
  ): Promise<Webhook | null> {
    const [row] = await returnedRows<Webhook>(
      tx
        .createQueryBuilder()
        .update(WebhookEntity)
        .set({ ...change, updatedAt: () => 'now()' })
        .where({ id, projectId, deletedAt: IsNull() })
        .setParameters(parameters)
        .returning(COLUMNS),
    );
    return row ?? null;
  }
}

export type DeletedWebhook = Pick<WebhookEntity, 'projectId'>;

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
    .returning(columnsOf(WebhookEntity, ['projectId']));
}
