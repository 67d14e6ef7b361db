import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';

/** Gauges of the unsent messages to webhooks, of all users. */
@Injectable()
export class DeliveryGauges {
  constructor(metrics: ServiceMetrics, queue: DeliveryQueueRepository, database: Database) {
    metrics.addFleetGauges(
      {
        control_plane_webhook_messages_pending:
          'Messages to webhooks that are still to be sent, retries that wait included',
        control_plane_webhook_messages_due: 'Messages to webhooks that are due now',
        control_plane_webhook_overdue_seconds: 'For how long the first message to a webhook has been due',
      },
      async () => {
        const { pending, due, overdueSeconds } = await queue.backlog(database.background.manager);
        return {
          control_plane_webhook_messages_pending: pending,
          control_plane_webhook_messages_due: due,
          control_plane_webhook_overdue_seconds: overdueSeconds,
        };
      },
    );
  }
}
