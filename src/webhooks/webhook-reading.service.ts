import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import type { Webhook } from './webhook.types.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Lists of webhooks. */
@Injectable()
export class WebhookReading {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly lists: ListReads,
  ) {}

  list(userId: string, request: PageRequest): Promise<Page<Webhook>> {
    return this.lists.page(userId, request, false, (connection) =>
      this.webhooks.list(connection, userId, request),
    );
  }
}
