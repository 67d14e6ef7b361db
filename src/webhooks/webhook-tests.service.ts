import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import { DomainError, RateLimitedError, UnavailableError } from '../errors/domain-error.js';
import { DeliveryAttemptsService } from './delivery-attempts.service.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { TEST_KIND } from './event-catalogue.js';
import { KeyedLimit } from './keyed-limit.js';
import { payloadsOf } from './message-body.js';
import type { Webhook } from './webhook.types.js';
import type { ClaimedDelivery } from './webhook.types.js';
import { WebhooksService } from './webhooks.service.js';

/** Maximum number of concurrent tests of one webhook on this instance: each holds a request until it ends. */
const TESTS_AT_ONCE = 3;
const RETRY_AFTER_SECONDS = 5;

export interface DeliveredTest {
  readonly deliveryId: string;
  readonly statusCode: number;
}

/** Sends a test message: one attempt, at once, for whose result the request waits. */
@Injectable()
export class WebhookTestsService {
  private readonly underWay = new KeyedLimit(TESTS_AT_ONCE);

  constructor(
    private readonly webhooks: WebhooksService,
    private readonly queue: DeliveryQueueRepository,
    private readonly attempts: DeliveryAttemptsService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Tests a webhook. The test is added to its deliveries whatever its result. An inactive webhook can be tested too.
   *
   * @throws NotFoundError
   * @throws RateLimitedError if too many tests of this webhook are under way
   * @throws DomainError `bad_gateway` with the reason of a failure
   */
  async run(caller: UserPrincipal, webhookId: string): Promise<DeliveredTest> {
    const webhook = await this.webhooks.findWithin(ownReachOf(caller), webhookId);
    return this.underWay.run(
      webhookId,
      () => this.send(caller, webhook),
      () =>
        new RateLimitedError(
          'Tests of this webhook are in progress: wait for their results',
          RETRY_AFTER_SECONDS,
        ),
    );
  }

  private async send(caller: UserPrincipal, webhook: Webhook): Promise<DeliveredTest> {
    const delivery = await this.begin(caller, webhook);
    const result = await this.attempts.send(delivery);
    await this.attempts.settleTest(delivery, result);
    if (result === null)
      throw new UnavailableError('The service is shutting down; the test will be sent again');
    if (!result.succeeded || result.statusCode === null) {
      throw new DomainError(
        'bad_gateway',
        'webhook_test_failed',
        `${result.errorMessage} (delivery ${delivery.id})`,
      );
    }
    return { deliveryId: delivery.id, statusCode: result.statusCode };
  }

  private begin(caller: UserPrincipal, webhook: Webhook): Promise<ClaimedDelivery> {
    const { id, format } = webhook;
    const data = { webhook_id: id, message: 'This is a test: nothing has happened.' };
    const body = payloadsOf(TEST_KIND, data, '', new Date())[format];
    return this.database.people.transaction(async (tx) => {
      const delivery = await this.queue.insertLeased(
        tx,
        id,
        TEST_KIND,
        format,
        body,
        this.attempts.leaseSeconds,
      );
      const target = targetOf('webhook', webhook);
      await this.auditLog.write(tx, caller, 'webhook.test', target, { delivery_id: delivery.id });
      return delivery;
    }, caller.userId);
  }
}
