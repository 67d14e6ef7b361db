import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { Transactor } from '../database/transactor.js';
import { WebhooksRepository } from './webhooks.repository.js';

const INTERVAL_MS = 10_000;
const WEBHOOKS_A_ROUND = 20;
const DELIVERIES_AT_ONCE = 5_000;
/** What one round removes at most: whoever waits for its end does not wait long. */
const BATCHES_A_ROUND = 20;

/** Finishes the removal of webhooks: their deliveries, then the row. Takes up again after a crash. */
@Injectable()
export class WebhookPurge {
  private readonly job: PeriodicJob;

  constructor(
    jobs: PeriodicJobs,
    private readonly webhooks: WebhooksRepository,
    private readonly transactor: Transactor,
  ) {
    this.job = jobs.add('webhook purge', {
      lock: ADVISORY_LOCKS.webhookPurge,
      intervalMs: INTERVAL_MS,
      run: () => this.round(),
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }

  private async round(): Promise<void> {
    let batches = 0;
    for (const id of await this.webhooks.listDeleted(WEBHOOKS_A_ROUND)) {
      let gone = DELIVERIES_AT_ONCE;
      while (gone === DELIVERIES_AT_ONCE && batches++ < BATCHES_A_ROUND) {
        gone = await this.transactor.run((tx) => this.webhooks.purge(tx, id, DELIVERIES_AT_ONCE));
      }
    }
  }
}
