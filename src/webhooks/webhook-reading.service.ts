import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { projectsFor } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { ListReads } from '../http/list-reads.js';
import type { DeliveryFilter, FailingWebhook, Webhook, WebhookDelivery } from './webhook.types.js';
import { shownTo } from './webhook-address.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

@Injectable()
export class WebhookReadingService {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly service: WebhooksService,
    private readonly lists: ListReads,
  ) {}

  async failing(
    connection: Connection,
    caller: UserPrincipal,
    projectIds: readonly string[],
  ): Promise<FailingWebhook[]> {
    const failing = await this.webhooks.listFailing(connection, projectIds);
    return failing.map((webhook) => shownTo(caller, webhook));
  }

  async list(
    caller: UserPrincipal,
    projectId: string | undefined,
    request: PageRequest,
  ): Promise<Page<Webhook>> {
    const projectIds = projectsFor(caller, projectId);
    const page = await this.lists.page(caller.userId, request, false, (connection) =>
      this.webhooks.list(connection, projectIds, request),
    );
    return page.map((webhook) => shownTo(caller, webhook));
  }

  /** @throws NotFoundError */
  async listDeliveries(
    caller: UserPrincipal,
    webhookId: string,
    filter: DeliveryFilter,
    request: PageRequest,
  ): Promise<Page<WebhookDelivery>> {
    await this.service.findWithin(ownReachOf(caller), webhookId);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    return this.lists.page(caller.userId, request, isFiltered, (connection) =>
      this.deliveries.list(connection, webhookId, filter, request),
    );
  }
}
