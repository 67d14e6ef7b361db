import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError } from '../errors/domain-error.js';
import type { Webhook, WebhookDelivery } from './webhook.types.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDispatcherService } from './webhook-dispatcher.service.js';
import { WebhooksService } from './webhooks.service.js';

/** Deliveries that one request brings back at most: it stays within seconds. */
const RECOVERED_AT_ONCE = 10_000;

export interface Recovery {
  readonly recovered: number;
  /** There may be more: ask again. */
  readonly hasMore: boolean;
}

@Injectable()
export class WebhookRedeliveryService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly webhooks: WebhooksService,
    private readonly dispatcher: WebhookDispatcherService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Sends the same message again, with the same id, whatever became of it before. One that is being sent right now
   * stays as it is.
   *
   * @throws NotFoundError
   * @throws ConflictError where the webhook is switched off
   */
  async redeliver(caller: UserPrincipal, webhookId: string, id: string): Promise<WebhookDelivery> {
    const webhook = await this.requireActive(caller.userId, webhookId);
    return this.queueAgain(caller, async (tx) => {
      await this.deliveries.requeue(tx, webhookId, id);
      const delivery = await this.deliveries.find(tx, webhookId, id);
      if (!delivery) throw new NotFoundError('Delivery');
      await this.auditLog.write(tx, caller, 'webhook.redeliver', targetOf('webhook', webhook), {
        delivery_id: id,
      });
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
  async recover(caller: UserPrincipal, webhookId: string, since: Date): Promise<Recovery> {
    const webhook = await this.requireActive(caller.userId, webhookId);
    const recovered = await this.queueAgain(caller, async (tx) => {
      const count = await this.deliveries.requeueFailed(tx, webhookId, since, RECOVERED_AT_ONCE);
      await this.auditLog.write(tx, caller, 'webhook.recover', targetOf('webhook', webhook), {
        since,
        recovered: count,
      });
      return count;
    });
    return { recovered, hasMore: recovered === RECOVERED_AT_ONCE };
  }

  /** Messages for a webhook that is switched off would only be cancelled. */
  private async requireActive(userId: string, webhookId: string): Promise<Webhook> {
    const webhook = await this.webhooks.findOwned(userId, webhookId);
    if (!webhook.isActive) throw new ConflictError('webhook_off', 'The webhook is switched off');
    return webhook;
  }

  private queueAgain<T>({ userId }: UserPrincipal, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.people.transaction((tx) => {
      onCommit(tx, () => this.dispatcher.wake());
      return work(tx);
    }, userId);
  }
}
