import { Inject, Module } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DOCUMENTED_WEBHOOKS } from '../http/openapi/operation.js';
import { DeliveryAttemptsService } from './delivery-attempts.service.js';
import { DeliveryGauges } from './delivery-gauges.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { DeliveryRecordsService } from './delivery-records.service.js';
import { NameResolver } from './name-resolver.js';
import { OutboxRepository } from './outbox.repository.js';
import { QueuedMessages } from './queued-messages.js';
import { SigningSecretCipher } from './signing-secret-cipher.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDispatcherService } from './webhook-dispatcher.service.js';
import { WEBHOOKS_SECTION } from './webhook-messages.js';
import { WebhookOutbox } from './webhook-outbox.js';
import { WebhookPurgeService } from './webhook-purge.service.js';
import { WebhookRedeliveryService } from './webhook-redelivery.service.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookTargets } from './webhook-targets.js';
import { WebhookTestsService } from './webhook-tests.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhookReadingService } from './webhook-reading.service.js';
import { WebhooksService } from './webhooks.service.js';

const RETENTION_INTERVAL_MS = 600_000;

@Module({
  controllers: [WebhooksController, WebhookDeliveriesController],
  providers: [
    DeliveryAttemptsService,
    DeliveryGauges,
    DeliveryQueueRepository,
    DeliveryRecordsService,
    NameResolver,
    OutboxRepository,
    QueuedMessages,
    SigningSecretCipher,
    WebhookDeliveriesRepository,
    WebhookDispatcherService,
    WebhookPurgeService,
    WebhookRedeliveryService,
    WebhookSender,
    WebhookTargets,
    WebhookTestsService,
    WebhooksRepository,
    WebhookReadingService,
    WebhooksService,
    { provide: WebhookOutbox, useExisting: QueuedMessages },
    { provide: DOCUMENTED_WEBHOOKS, useValue: WEBHOOKS_SECTION },
  ],
  exports: [WebhookOutbox, WebhookReadingService, WebhooksService],
})
export class WebhooksModule {
  constructor(
    messages: QueuedMessages,
    dispatcher: WebhookDispatcherService,
    jobs: PeriodicJobs,
    deliveries: WebhookDeliveriesRepository,
    @Inject(SETTINGS) settings: Settings,
  ) {
    messages.onQueued(() => dispatcher.wake());
    jobs.addDeletions('deliveryRetention', RETENTION_INTERVAL_MS, {
      'settled deliveries': (connection, limit) =>
        deliveries.deleteSettled(connection, settings.DELIVERY_RETENTION_DAYS, limit),
    });
  }
}
