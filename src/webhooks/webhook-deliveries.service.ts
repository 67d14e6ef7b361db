import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import type { DeliveryFilter, WebhookDelivery } from './webhook.types.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhooksService } from './webhooks.service.js';

/** Lists of deliveries. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly webhooks: WebhooksService,
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
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    return this.lists.page(userId, request, isFiltered, (connection) =>
      this.deliveries.list(connection, webhookId, filter, request),
    );
  }
}
