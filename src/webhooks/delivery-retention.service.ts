import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';

const INTERVAL_MS = 600_000;
const DELIVERIES_IN_A_BITE = 5_000;

/** Deletes settled deliveries that were created `DELIVERY_RETENTION_DAYS` ago. */
@Injectable()
export class DeliveryRetention {
  private readonly job: PeriodicJob;

  constructor(
    jobs: PeriodicJobs,
    deliveries: WebhookDeliveriesRepository,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const { DELIVERY_RETENTION_DAYS } = settings;
    this.job = jobs.add('webhook delivery retention', {
      lock: ADVISORY_LOCKS.deliveryRetention,
      intervalMs: INTERVAL_MS,
      tasks: () => [
        {
          name: 'settled deliveries',
          run: async (connection) =>
            (await deliveries.deleteSettled(connection, DELIVERY_RETENTION_DAYS, DELIVERIES_IN_A_BITE)) ===
            DELIVERIES_IN_A_BITE,
        },
      ],
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }
}
