import type { EventKind } from './event-catalogue.js';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import type { WebhookEntity, WebhookFormat } from './webhook.entity.js';

/** A webhook as the API returns it, without its secret. */
export interface Webhook extends Readonly<
  Omit<WebhookEntity, 'events' | 'secret' | 'previousSecret' | 'previousSecretUntil' | 'deletedAt'>
> {
  readonly events: readonly string[];
}

/** A webhook all of whose recent attempts have failed. */
export interface FailingWebhook {
  readonly id: string;
  readonly projectId: string;
  readonly url: string;
  readonly failingSince: string;
  /** The error of the last failed attempt. */
  readonly errorMessage: string | null;
}

/** A webhook and its secret, which the API returns only in this reply. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

export interface NewWebhook {
  /** Absent: the caller's personal project or, for a project's key, its project. */
  readonly projectId?: string;
  readonly url: string;
  readonly events?: readonly string[];
  readonly format?: WebhookFormat;
  readonly includePayloads?: boolean;
  readonly secret?: string | null;
  readonly description?: string | null;
  readonly isActive?: boolean;
}

/** Undefined keeps a property, null clears it. */
export interface WebhookChange extends Partial<Omit<NewWebhook, 'secret'>> {
  readonly secret?: string;
}

/** A delivery as the API returns it. */
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
  /** The stored signing secret, possibly encrypted. */
  readonly secret: string;
  /** The previous secret while it still signs; else null. */
  readonly previousSecret: string | null;
  /** Number of this attempt, from 1; it identifies the lease. */
  readonly attempt: number;
  /** Failed attempts in this round of the retry schedule. */
  readonly failures: number;
  readonly traceparent: string | null;
}

export interface AttemptResult {
  readonly succeeded: boolean;
  readonly statusCode: number | null;
  /** The first 2 KiB. */
  readonly responseBody: string | null;
  /** The reason of a failure, as a text for the owner. */
  readonly errorMessage: string | null;
  readonly retryAfterSeconds: number | null;
}

/** An attempt's result with the next attempt, to be written. */
export interface RecordedAttempt {
  readonly id: string;
  readonly webhookId: string;
  readonly attempt: number;
  readonly result: AttemptResult;
  /** Null: there is no further attempt. */
  readonly retryInSeconds: number | null;
}
