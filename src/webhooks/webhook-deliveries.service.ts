import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type { DeliveryFilter, WebhookDelivery } from './webhook.types.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDispatcher } from './webhook-dispatcher.service.js';
import { WebhooksService } from './webhooks.service.js';

/** Deliveries that one request brings back at most: it stays within seconds. */
const RECOVERED_AT_ONCE = 10_000;

export interface Recovery {
  readonly recovered: number;
  /** There may be more: ask again. */
  readonly hasMore: boolean;
}

@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly webhooks: WebhooksService,
    private readonly dispatcher: WebhookDispatcher,
    private readonly database: Database,
    private readonly lists: ListReads,
  ) {}

  /** @throws NotFoundError */
  async list(
    userId: string,
    webhookId: string,
    filter: DeliveryFilter,
    request: PageRequest,
  ): Promise<Page<WebhookDelivery>> {
    await this.webhooks.find(userId, webhookId);
    const isFiltered = filter.event !== undefined || filter.success !== undefined;
    return this.lists.page(userId, request, isFiltered, (connection) =>
      this.deliveries.list(connection, webhookId, filter, request),
    );
  }

  /**
   * Sends the same message again, with the same id, whatever became of it before. One that is being sent right now
   * stays as it is.
   *
   * @throws NotFoundError
   * @throws ConflictError where the webhook is switched off
   */
  async redeliver(userId: string, webhookId: string, id: string): Promise<WebhookDelivery> {
    await this.requireActive(userId, webhookId);
    return this.queueAgain(userId, async (tx) => {
      await this.deliveries.requeue(tx, webhookId, id);
      const delivery = await this.deliveries.find(tx, webhookId, id);
      if (!delivery) throw new NotFoundError('Delivery');
      return delivery;
    });
  }

  /**
   * Sends again what has failed for good.
   *
   * @param since of the events
   * @throws NotFoundError
   * @throws ConflictError where the webhook is switched off
   */
  async recover(userId: string, webhookId: string, since: Date): Promise<Recovery> {
    await this.requireActive(userId, webhookId);
    const recovered = await this.queueAgain(userId, (tx) =>
      this.deliveries.requeueFailed(tx, webhookId, since, RECOVERED_AT_ONCE),
    );
    return { recovered, hasMore: recovered === RECOVERED_AT_ONCE };
  }

  /** What waits for a webhook that is switched off would only be cancelled. */
  private async requireActive(userId: string, webhookId: string): Promise<void> {
    const webhook = await this.webhooks.find(userId, webhookId);
    if (!webhook.isActive) throw new ConflictError('The webhook is switched off');
  }

  private queueAgain<T>(userId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.people.transaction((tx) => {
      onCommit(tx, () => this.dispatcher.wake());
      return work(tx);
    }, userId);
  }
}
