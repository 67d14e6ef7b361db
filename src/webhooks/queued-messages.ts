import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import type { EventData, SubscribableKind } from './event-catalogue.js';
import { patternsFor } from './event-patterns.js';
import { payloadsOf } from './message-body.js';
import { OutboxRepository } from './outbox.repository.js';
import { type WebhookEvent, WebhookOutbox } from './webhook-outbox.js';

/** Adds messages to the queue of deliveries. */
@Injectable()
export class QueuedMessages extends WebhookOutbox {
  private readonly handlers: (() => void)[] = [];

  constructor(
    private readonly messages: OutboxRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  async enqueueAll<Kind extends SubscribableKind>(
    tx: Transaction,
    kind: Kind,
    events: readonly WebhookEvent<Kind>[],
  ): Promise<void> {
    if (events.length === 0) return;
    const at = new Date();
    const patterns = patternsFor(kind);
    const wanting = new Set<string>();
    if (events.some(({ completeData }) => completeData)) {
      const projectIds = events.map(({ projectId }) => projectId);
      const listeners = await this.messages.listeners(tx, projectIds, patterns);
      if (listeners.length === 0) return;
      for (const { projectId, includePayloads } of listeners) if (includePayloads) wanting.add(projectId);
    }
    const bodiesOf = (data: EventData<Kind>) => payloadsOf(kind, data, this.settings.WEB_PUBLIC_URL, at);
    const messages = events.map(({ projectId, data, completeData }) => ({
      projectId,
      payloads: bodiesOf(data),
      complete: completeData && wanting.has(projectId) ? bodiesOf(completeData()).standard : null,
    }));
    const queued = await this.messages.insert(tx, kind, patterns, messages);
    // Dispatchers of other instances look regularly; a notification for each event would cost more than the event.
    if (queued > 0) onCommit(tx, () => this.handlers.forEach((handler) => handler()));
  }

  /** Registers a handler, which is called when this instance has committed messages. */
  onQueued(handler: () => void): void {
    this.handlers.push(handler);
  }
}
