import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import type { ConnectionPool } from '../database/connection-pool.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { failureOf } from './attempt-failure.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { CONTENT_TYPES } from './message-body.js';
import { nextDelaySeconds } from './retry-schedule.js';
import { SigningSecretCipher, UnreadableSecretError } from './signing-secret-cipher.js';
import { signedHeaders } from './signed-headers.js';
import { FAILING_DAYS } from './switch-off.js';
import type { AttemptResult, ClaimedDelivery, RecordedAttempt } from './webhook.types.js';
import { SenderClosedError, WebhookSender } from './webhook-sender.js';

const GONE = 410;
const RESULTS_IN_A_GROUP = 500;
/** A result that can't be written is tried again after these pauses; the lease outlasts them. Milliseconds. */
const RECORDING_PAUSES_MS = [100, 400, 1_600, 6_400];

type Results = GroupCommit<RecordedAttempt, void>;

/** Attempts, from a claimed delivery to the recorded result. */
@Injectable()
export class DeliveryAttempts {
  /** The dispatcher's results. */
  private readonly results: Results;
  /** The results of tests, which a person waits for. */
  private readonly testResults: Results;

  constructor(
    private readonly queue: DeliveryQueueRepository,
    private readonly sender: WebhookSender,
    private readonly cipher: SigningSecretCipher,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.results = this.resultsThrough(database.background);
    this.testResults = this.resultsThrough(database.people);
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
      const contentType = CONTENT_TYPES[delivery.format];
      return await this.sender.send({ url: delivery.url, headers, contentType, body: delivery.payload });
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
   */
  async settle(delivery: ClaimedDelivery, result: AttemptResult | null): Promise<void> {
    if (result === null) return this.queue.release(this.database.background.manager, [delivery]);
    const isLast = result.succeeded || result.statusCode === GONE;
    const retryInSeconds = isLast ? null : nextDelaySeconds(delivery.failures + 1, result.retryAfterSeconds);
    await this.record(this.results, recorded(delivery, result, retryInSeconds));
  }

  /** As {@link settle}, of a test: whatever came of it, it was the last attempt. */
  async settleTest(delivery: ClaimedDelivery, result: AttemptResult | null): Promise<void> {
    if (result === null) return this.queue.release(this.database.people.manager, [delivery]);
    await this.record(this.testResults, recorded(delivery, result, null));
  }

  /** Attempts under way are broken off and given back; no more can be made. */
  async end(): Promise<void> {
    await this.sender.close();
  }

  /** The secret in use must be readable; the one before it is left out where it is not. */
  private openSecrets({ webhookId, secrets: [current = '', previous] }: ClaimedDelivery): string[] {
    const opened = [this.cipher.decrypt(webhookId, current)];
    if (previous === undefined) return opened;
    try {
      opened.push(this.cipher.decrypt(webhookId, previous));
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
    }
    return opened;
  }

  /** The attempt was made, so its result is worth some patience: without it the message is sent again. */
  private async record(results: Results, attempt: RecordedAttempt): Promise<void> {
    for (const pause of RECORDING_PAUSES_MS) {
      try {
        await results.submit(attempt);
        return;
      } catch (error) {
        this.logger.debug(
          { err: error, delivery_id: attempt.id },
          'the result of an attempt is not written yet',
        );
        await delay(pause);
      }
    }
    await results.submit(attempt);
  }

  private resultsThrough(pool: ConnectionPool): Results {
    return new GroupCommit((attempts) => this.write(pool, attempts), { maximumItems: RESULTS_IN_A_GROUP });
  }

  private async write(pool: ConnectionPool, attempts: readonly RecordedAttempt[]): Promise<void[]> {
    for (const webhookId of await this.queue.record(pool.manager, attempts, FAILING_DAYS)) {
      this.logger.info(
        { webhook_id: webhookId },
        'a webhook was switched off: it is gone, or has failed for days',
      );
    }
    return attempts.map(() => undefined);
  }
}

function recorded(
  { id, webhookId, attempt }: ClaimedDelivery,
  result: AttemptResult,
  retryInSeconds: number | null,
): RecordedAttempt {
  return { id, webhookId, attempt, result, retryInSeconds };
}

function notSent(errorMessage: string): AttemptResult {
  return { succeeded: false, statusCode: null, responseBody: null, errorMessage, retryAfterSeconds: null };
}
