import type { Transaction } from '../database/transaction.js';
import type { EventData, SubscribableKind } from './event-catalogue.js';

export interface WebhookEvent<Kind extends SubscribableKind> {
  /** The owner of the webhooks that get the message. */
  readonly projectId: string;
  /** Must contain no secret, because a receiver is a third party. */
  readonly data: EventData<Kind>;
  /**
   * The data for webhooks with large payloads. It is made only where there is one, and no body at all where no
   * webhook subscribes.
   */
  readonly completeData?: () => EventData<Kind>;
}

/** The only part of webhooks that other features use. It is the injection token of `QueuedMessages`. */
export abstract class WebhookOutbox {
  /**
   * Adds the message for each of the user's webhooks that subscribes to it to the transaction of the event: both are
   * committed, or neither. The body is fixed here; every attempt sends these bytes. One statement, which writes nothing
   * if no webhook subscribes.
   */
  async enqueue<Kind extends SubscribableKind>(
    tx: Transaction,
    { kind, ...event }: WebhookEvent<Kind> & { readonly kind: Kind },
  ): Promise<void> {
    await this.enqueueAll<Kind>(tx, kind, [event]);
  }

  /** Adds the messages of any number of events of one kind, in one statement; see {@link enqueue}. */
  abstract enqueueAll<Kind extends SubscribableKind>(
    tx: Transaction,
    kind: Kind,
    events: readonly WebhookEvent<Kind>[],
  ): Promise<void>;
}
