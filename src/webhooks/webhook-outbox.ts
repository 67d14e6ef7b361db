import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { type EventData, patternsFor, type SubscribableKind } from './event-catalogue.js';
import { payloadsOf } from './message-body.js';

export interface WebhookEvent<Kind extends SubscribableKind> {
  /** The owner of the webhooks that get the message. */
  readonly userId: string;
  /** Nothing secret: a receiver is a third party. */
  readonly data: EventData<Kind>;
}

/** The only thing of webhooks that other features use. */
@Injectable()
export class WebhookOutbox {
  private readonly handlers: (() => void)[] = [];

  constructor(
    private readonly queue: DeliveryQueueRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Puts the message for each of the user's webhooks that asks for it into the transaction that made the event: both
   * are committed, or neither. The body is fixed here; every attempt sends these bytes. One statement, which
   * writes nothing where nobody listens.
   */
  async enqueue<Kind extends SubscribableKind>(
    tx: Transaction,
    { kind, ...event }: WebhookEvent<Kind> & { readonly kind: Kind },
  ): Promise<void> {
    await this.enqueueAll<Kind>(tx, kind, [event]);
  }

  /** The same for any number of events of one kind, still in one statement. */
  async enqueueAll<Kind extends SubscribableKind>(
    tx: Transaction,
    kind: Kind,
    events: readonly WebhookEvent<Kind>[],
  ): Promise<void> {
    if (events.length === 0) return;
    const at = new Date();
    const messages = events.map(({ userId, data }) => ({
      userId,
      payloads: payloadsOf(kind, data, this.settings.WEB_PUBLIC_URL, at),
    }));
    const queued = await this.queue.insert(tx, kind, patternsFor(kind), messages);
    // Dispatchers of other instances look regularly; a notification for each event would cost more than the event.
    if (queued > 0) onCommit(tx, () => this.handlers.forEach((handler) => handler()));
  }

  /** Calls back when this instance has committed something to send. */
  onQueued(handler: () => void): void {
    this.handlers.push(handler);
  }
}
