import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
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

/** Maximum number of deliveries that one request sends again, which keeps it within seconds. */
const RECOVERED_AT_ONCE = 10_000;

export interface Recovery {
  readonly recovered: number;
  /** True if there may be more: the request has to be repeated. */
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
   * Sends the same message again, with the same id, whatever its earlier result. A message with an attempt under way is
   * left unchanged.
   *
   * @throws NotFoundError
   * @throws ConflictError if the webhook is switched off
   */
  async redeliver(caller: UserPrincipal, webhookId: string, id: string): Promise<WebhookDelivery> {
    const webhook = await this.requireActive(caller, webhookId);
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
   * Sends failed messages again.
   *
   * @param since minimum time of the events
   * @throws NotFoundError
   * @throws ConflictError if the webhook is switched off
   */
  async recover(caller: UserPrincipal, webhookId: string, since: Date): Promise<Recovery> {
    const webhook = await this.requireActive(caller, webhookId);
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

  /** Checks that the webhook is active; else its messages would only be cancelled. */
  private async requireActive(caller: UserPrincipal, webhookId: string): Promise<Webhook> {
    const webhook = await this.webhooks.findWithin(ownReachOf(caller), webhookId);
    if (!webhook.isActive)
      throw new ConflictError('webhook_off', 'The webhook is switched off: switch it on first');
    return webhook;
  }

  private queueAgain<T>({ userId }: UserPrincipal, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.people.transaction((tx) => {
      onCommit(tx, () => this.dispatcher.wake());
      return work(tx);
    }, userId);
  }
}
