import { Inject, Injectable } from '@nestjs/common';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { activeTraceparent, inSpan } from '../observability/spans.js';
import { failedAttempt, failureOf } from './attempt-failure.js';
import { DeliveryRecordsService } from './delivery-records.service.js';
import { CONTENT_TYPES } from './message-body.js';
import { nextDelaySeconds } from './retry-schedule.js';
import { UnreadableTextError } from '../secrets/stored-text-cipher.js';
import { SigningSecretCipher } from './signing-secret-cipher.js';
import { signedHeaders } from './signed-headers.js';
import type { AttemptResult, ClaimedDelivery, RecordedAttempt } from './webhook.types.js';
import { SenderClosedError, WebhookSender } from './webhook-sender.js';

const GONE = 410;
/** Time of a lease in addition to the attempt's limit: to sign, and to write the result. Seconds. */
const LEASE_MARGIN_SECONDS = 30;

/** Makes attempts, from a claimed delivery to the recorded result. */
@Injectable()
export class DeliveryAttemptsService {
  constructor(
    private readonly sender: WebhookSender,
    private readonly cipher: SigningSecretCipher,
    private readonly records: DeliveryRecordsService,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WEBHOOK_TIMEOUT_SECONDS'>,
  ) {}

  /** Length of a delivery's lease. */
  get leaseSeconds(): number {
    return this.settings.WEBHOOK_TIMEOUT_SECONDS + LEASE_MARGIN_SECONDS;
  }

  /** Returns true if this instance knows the keys of all signing secrets. */
  canSign(): Promise<boolean> {
    return this.cipher.knowsAllKeys();
  }

  /**
   * Makes the attempt. Any failure of it is its result.
   *
   * @returns null if the service ended first
   */
  send(delivery: ClaimedDelivery): Promise<AttemptResult | null> {
    const { id, webhookId, attempt, traceparent: cause } = delivery;
    const attributes = {
      'control_plane.delivery_id': id,
      'control_plane.webhook_id': webhookId,
      'control_plane.attempt': attempt,
    };
    return inSpan({ name: 'deliver webhook', kind: SpanKind.CLIENT, attributes, cause }, async (span) => {
      const result = await this.sendTraced(delivery);
      if (typeof result?.statusCode === 'number')
        span.setAttribute('http.response.status_code', result.statusCode);
      if (!result?.succeeded) span.setStatus({ code: SpanStatusCode.ERROR });
      return result;
    });
  }

  private async sendTraced(delivery: ClaimedDelivery): Promise<AttemptResult | null> {
    try {
      const secrets = this.openSecrets(delivery);
      const traceparent = activeTraceparent();
      const headers = {
        ...signedHeaders(delivery.id, delivery.payload, secrets, new Date()),
        ...(traceparent !== undefined && { traceparent }),
      };
      const contentType = CONTENT_TYPES[delivery.format];
      return await this.sender.send({ url: delivery.url, headers, contentType, body: delivery.payload });
    } catch (error) {
      if (error instanceof SenderClosedError) return null;
      if (error instanceof UnreadableTextError) return failedAttempt(`${failureOf(error)}: rotate it`);
      // An unexpected error must not block the endpoint's slot for ever.
      this.logger.error({ err: error, delivery_id: delivery.id }, 'a webhook message could not be created');
      return failedAttempt('The message could not be created');
    }
  }

  /**
   * Records the result of an attempt; without a result the delivery is returned to the queue. Fails only if the
   * database can't be written: the delivery is then due again when its lease ends.
   */
  async settle(delivery: ClaimedDelivery, result: AttemptResult | null): Promise<void> {
    if (result === null) return this.records.release('background', delivery);
    const isLast = result.succeeded || result.statusCode === GONE;
    const retryInSeconds = isLast ? null : nextDelaySeconds(delivery.failures + 1, result.retryAfterSeconds);
    await this.records.record('background', recorded(delivery, result, retryInSeconds));
  }

  /** Records the result of a test; see {@link settle}. A test has one attempt, whatever its result. */
  async settleTest(delivery: ClaimedDelivery, result: AttemptResult | null): Promise<void> {
    if (result === null) return this.records.release('people', delivery);
    await this.records.record('people', recorded(delivery, result, null));
  }

  /** Ends all attempts under way and returns them to the queue; no further attempt can begin. */
  async end(): Promise<void> {
    await this.sender.close();
  }

  /** Decrypts the secrets. The current one must be readable; the previous one is left out if it is not. */
  private openSecrets({ webhookId, secret, previousSecret }: ClaimedDelivery): string[] {
    const opened = [this.cipher.decrypt(webhookId, secret)];
    if (previousSecret === null) return opened;
    try {
      opened.push(this.cipher.decrypt(webhookId, previousSecret));
    } catch (error) {
      if (!(error instanceof UnreadableTextError)) throw error;
    }
    return opened;
  }
}

function recorded(
  { id, webhookId, attempt }: ClaimedDelivery,
  result: AttemptResult,
  retryInSeconds: number | null,
): RecordedAttempt {
  return { id, webhookId, attempt, result, retryInSeconds };
}
