import { Module } from '@nestjs/common';
import { DOCUMENTED_WEBHOOKS } from '../http/openapi/documented-webhooks.js';
import { DeliveryAttempts } from './delivery-attempts.service.js';
import { DeliveryGauges } from './delivery-gauges.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { DeliveryRecords } from './delivery-records.service.js';
import { DeliveryRetention } from './delivery-retention.service.js';
import { NameResolver } from './name-resolver.js';
import { SecretResealing } from './secret-resealing.service.js';
import { SigningSecretCipher } from './signing-secret-cipher.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDispatcher } from './webhook-dispatcher.service.js';
import { WEBHOOKS_SECTION } from './webhook-messages.js';
import { WebhookOutbox } from './webhook-outbox.js';
import { WebhookPurge } from './webhook-purge.service.js';
import { WebhookRedelivery } from './webhook-redelivery.service.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookTargets } from './webhook-targets.js';
import { WebhookTests } from './webhook-tests.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhookReading } from './webhook-reading.service.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  controllers: [WebhooksController, WebhookDeliveriesController],
  providers: [
    DeliveryAttempts,
    DeliveryGauges,
    DeliveryQueueRepository,
    DeliveryRecords,
    DeliveryRetention,
    NameResolver,
    SecretResealing,
    SigningSecretCipher,
    WebhookDeliveriesRepository,
    WebhookDeliveriesService,
    WebhookDispatcher,
    WebhookOutbox,
    WebhookPurge,
    WebhookRedelivery,
    WebhookSender,
    WebhookTargets,
    WebhookTests,
    WebhooksRepository,
    WebhookReading,
    WebhooksService,
    { provide: DOCUMENTED_WEBHOOKS, useValue: WEBHOOKS_SECTION },
  ],
  exports: [WebhookOutbox, WebhookReading],
})
export class WebhooksModule {
  constructor(outbox: WebhookOutbox, dispatcher: WebhookDispatcher) {
    outbox.onQueued(() => dispatcher.wake());
  }
}
