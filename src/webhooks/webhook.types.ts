import type { EventKind } from './event-catalogue.js';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import type { WebhookEntity, WebhookFormat } from './webhook.entity.js';

/** A webhook as its owner sees it, without its secret. */
export interface Webhook extends Readonly<
  Omit<WebhookEntity, 'events' | 'secret' | 'previousSecret' | 'previousSecretUntil' | 'deletedAt'>
> {
  readonly events: readonly string[];
}

/** A webhook of which every attempt has failed for a while. */
export interface FailingWebhook {
  readonly id: string;
  readonly url: string;
  readonly failingSince: string;
  /** The error of the last failed attempt. */
  readonly errorMessage: string | null;
}

/** A webhook and its secret, which is shown this once. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

export interface NewWebhook {
  readonly url: string;
  readonly events?: readonly string[];
  readonly format?: WebhookFormat;
  readonly secret?: string | null;
  readonly description?: string | null;
  readonly isActive?: boolean;
}

/** Undefined keeps, null clears. */
export interface WebhookChange extends Partial<Omit<NewWebhook, 'secret'>> {
  readonly secret?: string;
}

/** A delivery as its owner sees it. */
export type WebhookDelivery = Readonly<
  Omit<WebhookDeliveryEntity, 'format' | 'traceparent' | 'failures' | 'isLeased'>
>;

export interface DeliveryFilter {
  readonly event?: EventKind;
  readonly success?: boolean;
  readonly since?: Date;
  /** Created before this time. */
  readonly until?: Date;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  readonly format: WebhookFormat;
  readonly payload: string;
  /** The signing secret as it is kept: perhaps sealed. */
  readonly secret: string;
  /** The one before it, while it still signs; null: none. */
  readonly previousSecret: string | null;
  /** Number of this attempt, from 1; it tells this lease from every other. */
  readonly attempt: number;
  /** Attempts that failed before, in this round of the retry schedule. */
  readonly failures: number;
  readonly traceparent: string | null;
}

export interface AttemptResult {
  readonly succeeded: boolean;
  readonly statusCode: number | null;
  /** The first 2 KiB. */
  readonly responseBody: string | null;
  /** Why it failed, for its owner to read. */
  readonly errorMessage: string | null;
  readonly retryAfterSeconds: number | null;
}

/** An attempt's result and what follows from it, to be written. */
export interface RecordedAttempt {
  readonly id: string;
  readonly webhookId: string;
  readonly attempt: number;
  readonly result: AttemptResult;
  /** Null: there is no further attempt. */
  readonly retryInSeconds: number | null;
}
