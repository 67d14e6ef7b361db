import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { NIL } from 'uuid';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { isDatabaseUnavailable } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import type { Connection } from '../database/transaction.js';
import { answerInTime } from '../database/answer-in-time.js';
import { roundFinished } from '../database/periodic-job.js';
import { DeliveryAttemptsService } from './delivery-attempts.service.js';
import { DeliveryQueueRepository, type QueuedWebhook } from './delivery-queue.repository.js';
import { EndpointSlots, type Slot } from './endpoint-slots.js';
import type { ClaimedDelivery } from './webhook.types.js';

/** An id before that of every webhook. */
const BEGINNING: string = NIL;
const WEBHOOKS_A_LOOK = 500;
const DELIVERIES_A_CLAIM = 500;
/** Error of deliveries that waited for a webhook when it was switched off. */
const CANCELLED = 'Not sent: the webhook was switched off';
const CANCELLED_AT_ONCE = 1_000;
/** Pause after a round in which the slots did not suffice for all webhooks; milliseconds. */
const SHORT_PAUSE_MS = 200;

/**
 * Sends due messages. Every instance with the role `dispatcher` has one; leases keep them from sending the same
 * message. It looks for messages after this instance has queued one, and regularly for those of other instances and
 * those that have become due.
 *
 * No webhook delays another: only as many messages are claimed for each as it has free slots, so a backlog stays in the
 * database, and webhooks are served in the order of their ids.
 */
@Injectable()
export class WebhookDispatcherService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly slots: EndpointSlots;
  private readonly underWay = new Set<Promise<void>>();
  /** Webhooks with more due messages than slots. */
  private readonly held = new Set<string>();
  /** The webhooks of `held` that have a free slot again: they are served without a query for all the others. */
  private readonly freed = new Set<string>();
  /** The webhook id after which the next query begins. */
  private place = BEGINNING;
  private mustLook = false;
  /** True if the slots did not suffice for all webhooks when the last round ended. */
  private isShort = false;
  private lookedAt = -Infinity;
  private endPause = (): void => {};
  private stopping = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly queue: DeliveryQueueRepository,
    private readonly attempts: DeliveryAttemptsService,
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.slots = new EndpointSlots(settings.WEBHOOK_CONCURRENCY, settings.WEBHOOK_ENDPOINT_CONCURRENCY);
  }

  onApplicationBootstrap(): void {
    if (!this.settings.ROLES.includes('dispatcher')) return;
    this.running = this.run();
  }

  /** Waits for attempts under way, for half of the drain time; unfinished ones are then returned to the queue. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
    const patienceMs = this.settings.DRAIN_TIMEOUT_SECONDS * 500;
    await answerInTime<unknown>(Promise.all(this.underWay), patienceMs, () => undefined);
    await this.attempts.end();
    await Promise.all(this.underWay);
  }

  /** Starts a round as soon as possible. */
  wake(): void {
    this.mustLook = true;
    this.endPause();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.round();
      } catch (error) {
        const level = isDatabaseUnavailable(error) ? 'debug' : 'warn';
        this.logger[level]({ err: error }, 'the webhook queue could not be read');
        this.mustLook = false;
      }
      await this.pause();
    }
  }

  private async pause(): Promise<void> {
    if (this.stopping || this.hasWork) return;
    const regular = this.settings.WEBHOOK_POLL_INTERVAL_MS;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.isShort ? Math.min(regular, SHORT_PAUSE_MS) : regular);
      const endPause = () => {
        clearTimeout(timer);
        resolve();
      };
      this.endPause = endPause;
    });
  }

  private get connection(): Connection {
    return this.database.background.manager;
  }

  private get hasWork(): boolean {
    return this.slots.free > 0 && (this.mustLook || this.freed.size > 0);
  }

  private async round(): Promise<void> {
    if (this.slots.free === 0) return;
    // A message that this instance can't sign would fail, and the other instances can sign it.
    if (!(await this.attempts.canSign())) {
      this.mustLook = false;
      this.freed.clear();
      return;
    }
    const freed = [...this.freed];
    this.freed.clear();
    const isLookDue = performance.now() - this.lookedAt >= this.settings.WEBHOOK_POLL_INTERVAL_MS;
    if (freed.length === 0 || this.mustLook || isLookDue) await this.look();
    else await this.serve(freed);
    roundFinished.setToCurrentTime({ round: 'dispatcher' });
  }

  private async look(): Promise<void> {
    // Reset before the query, so that a message that is queued during it causes another round.
    this.mustLook = false;
    this.lookedAt = performance.now();
    const isFirstPage = this.place === BEGINNING;
    const queued = await this.queue.look(this.connection, this.place, WEBHOOKS_A_LOOK);
    const isLastPage = queued.length < WEBHOOKS_A_LOOK;
    this.place = isLastPage ? BEGINNING : queued.at(-1)!.webhookId;
    const cancelled = await this.cancel(queued.filter(({ listens }) => !listens));
    if (cancelled > 0 || !isLastPage) this.mustLook = true;
    const due = queued.filter(({ isDue, listens }) => isDue && listens).map(({ webhookId }) => webhookId);
    // Random order: if the slots don't suffice for all webhooks, the same ones must not wait each time.
    const isPageShort = await this.serve(inRandomOrder(due));
    this.isShort = isPageShort || (!isFirstPage && this.isShort);
  }

  private async cancel(webhooks: readonly QueuedWebhook[]): Promise<number> {
    let cancelled = 0;
    for (const { webhookId } of webhooks) {
      cancelled += await this.queue.cancel(this.connection, webhookId, CANCELLED, CANCELLED_AT_ONCE);
    }
    return cancelled;
  }

  /**
   * Begins attempts for these webhooks, as far as there are slots.
   *
   * @returns true if some webhook got none
   */
  private async serve(webhookIds: readonly string[]): Promise<boolean> {
    const { shares, saturated, isShort } = this.slots.allot(webhookIds);
    for (const webhookId of saturated) this.held.add(webhookId);
    if (shares.length === 0) return isShort;
    const limit = Math.min(this.slots.free, DELIVERIES_A_CLAIM);
    const claimed = await this.queue.claim(this.connection, shares, limit, this.attempts.leaseSeconds);
    const byWebhook = Map.groupBy(claimed, ({ webhookId }) => webhookId);
    for (const { endpointId, slots } of shares) {
      if (byWebhook.get(endpointId)?.length === slots) this.held.add(endpointId);
    }
    for (const delivery of claimed) this.begin(delivery);
    // There may be more due messages than one claim takes.
    if (claimed.length === limit) this.mustLook = true;
    return isShort;
  }

  private begin(delivery: ClaimedDelivery): void {
    const slot = this.slots.take(delivery.webhookId);
    const attempt = this.attempt(delivery, slot)
      .catch((error: unknown) => {
        this.logger.warn(
          { err: error, delivery_id: delivery.id },
          'an attempt was lost: the message will be sent again',
        );
      })
      .finally(() => {
        this.slots.giveBack(slot);
        this.underWay.delete(attempt);
        if (this.hasWork) this.endPause();
      });
    this.underWay.add(attempt);
  }

  private async attempt(delivery: ClaimedDelivery, slot: Slot): Promise<void> {
    const result = await this.attempts.send(delivery);
    this.slots.answered(slot, result?.succeeded ?? false);
    if (this.held.delete(delivery.webhookId)) {
      this.freed.add(delivery.webhookId);
      this.endPause();
    }
    await this.attempts.settle(delivery, result);
  }
}

/** Returns a shuffled copy (Fisher and Yates). */
function inRandomOrder<Item>(items: readonly Item[]): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}
