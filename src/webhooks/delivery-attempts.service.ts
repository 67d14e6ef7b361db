import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { GroupCommit } from '../database/group-commit.js';
import { failureOf } from './attempt-failure.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { nextDelaySeconds } from './retry-schedule.js';
import { SecretSeal, UnreadableSecretError } from './secret-seal.js';
import { signedHeaders } from './signed-headers.js';
import { FAILING_DAYS } from './switch-off.js';
import type { AttemptResult, ClaimedDelivery, RecordedAttempt } from './webhook.types.js';
import { SenderClosedError, WebhookSender } from './webhook-sender.js';

const GONE = 410;
const RESULTS_IN_A_GROUP = 500;
/** A result that can't be written is tried again after these pauses; the lease outlasts them. Milliseconds. */
const RECORDING_PAUSES_MS = [100, 400, 1_600, 6_400];

/** Attempts, from a claimed delivery to the recorded result. */
@Injectable()
export class DeliveryAttempts {
  private readonly results: GroupCommit<RecordedAttempt, void>;

  constructor(
    private readonly queue: DeliveryQueueRepository,
    private readonly sender: WebhookSender,
    private readonly seal: SecretSeal,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.results = new GroupCommit((attempts) => this.write(attempts), { maximumItems: RESULTS_IN_A_GROUP });
  }

  /**
   * Makes the attempt. What went wrong with it is its result.
   *
   * @returns null when the service ended first
   */
  async send(delivery: ClaimedDelivery): Promise<AttemptResult | null> {
    try {
      const secrets = this.openSecrets(delivery);
      const headers = signedHeaders(delivery.id, delivery.payload, secrets, new Date());
      return await this.sender.send({ url: delivery.url, headers, body: delivery.payload });
    } catch (error) {
      if (error instanceof SenderClosedError) return null;
      if (error instanceof UnreadableSecretError) return notSent(`${failureOf(error)}: rotate it`);
      // Whatever it is, it must not hold the endpoint's slot for ever.
      this.logger.error({ err: error, delivery_id: delivery.id }, 'a webhook message could not be made');
      return notSent('The message could not be made');
    }
  }

  /**
   * Records what came of it; where nothing is known, the delivery is given back. Fails only where the database can't
   * be written: the delivery is then due again when its lease ends.
   *
   * @param mayRetry false: whatever came of it, it was the last attempt
   */
  async settle(delivery: ClaimedDelivery, result: AttemptResult | null, mayRetry = true): Promise<void> {
    if (result === null) return this.queue.release([delivery]);
    const isLast = result.succeeded || result.statusCode === GONE || !mayRetry;
    await this.record({
      id: delivery.id,
      webhookId: delivery.webhookId,
      attempt: delivery.attempt,
      result,
      retryInSeconds: isLast ? null : nextDelaySeconds(delivery.failures + 1, result.retryAfterSeconds),
    });
  }

  /** Attempts under way are broken off and given back; no more can be made. */
  async end(): Promise<void> {
    await this.sender.close();
  }

  /** The secret in use must be readable; the one before it is left out where it is not. */
  private openSecrets({ webhookId, secrets: [current = '', previous] }: ClaimedDelivery): string[] {
    const opened = [this.seal.open(webhookId, current)];
    if (previous === undefined) return opened;
    try {
      opened.push(this.seal.open(webhookId, previous));
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
    }
    return opened;
  }

  /** The attempt was made, so its result is worth some patience: without it the message is sent again. */
  private async record(attempt: RecordedAttempt): Promise<void> {
    for (const pause of RECORDING_PAUSES_MS) {
      try {
        await this.results.submit(attempt);
        return;
      } catch (error) {
        this.logger.debug(
          { err: error, delivery_id: attempt.id },
          'the result of an attempt is not written yet',
        );
        await delay(pause);
      }
    }
    await this.results.submit(attempt);
  }

  private async write(attempts: readonly RecordedAttempt[]): Promise<void[]> {
    for (const webhookId of await this.queue.record(attempts, FAILING_DAYS)) {
      this.logger.info(
        { webhook_id: webhookId },
        'a webhook was switched off: it is gone, or has failed for days',
      );
    }
    return attempts.map(() => undefined);
  }
}

function notSent(errorMessage: string): AttemptResult {
  return { succeeded: false, statusCode: null, responseBody: null, errorMessage, retryAfterSeconds: null };
}
