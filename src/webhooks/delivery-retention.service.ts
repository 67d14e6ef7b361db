import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { deletion } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';

const INTERVAL_MS = 600_000;

/** Deletes settled deliveries that were created `DELIVERY_RETENTION_DAYS` ago. */
@Injectable()
export class DeliveryRetention {
  constructor(
    jobs: PeriodicJobs,
    deliveries: WebhookDeliveriesRepository,
    @Inject(SETTINGS) settings: Settings,
  ) {
    jobs.add('deliveryRetention', {
      intervalMs: INTERVAL_MS,
      tasks: () => [
        deletion('settled deliveries', (connection, limit) =>
          deliveries.deleteSettled(connection, settings.DELIVERY_RETENTION_DAYS, limit),
        ),
      ],
    });
  }
}
