import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { ListReads } from '../http/list-reads.js';
import type { FailingWebhook, Webhook } from './webhook.types.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Lists of webhooks. */
@Injectable()
export class WebhookReading {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly lists: ListReads,
  ) {}

  /** The user's webhooks whose last attempts have all failed. */
  failing(connection: Connection, userId: string): Promise<FailingWebhook[]> {
    return this.webhooks.listFailing(connection, userId);
  }

  list(userId: string, request: PageRequest): Promise<Page<Webhook>> {
    return this.lists.page(userId, request, false, (connection) =>
      this.webhooks.list(connection, userId, request),
    );
  }
}
