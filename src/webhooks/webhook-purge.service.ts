import { Injectable } from '@nestjs/common';
import { NIL } from 'uuid';
import type { JobTask } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import type { Connection } from '../database/transaction.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Before every webhook's id. */
const BEGINNING: string = NIL;
const INTERVAL_MS = 10_000;
const WEBHOOKS_AT_ONCE = 20;
const DELIVERIES_IN_A_BITE = 1_000;

/**
 * Finishes the removal of webhooks: their deliveries, then the row. Takes up again after a crash. One that can't be
 * purged delays no other: each is a task of its own, and those behind the first twenty have their turn too.
 */
@Injectable()
export class WebhookPurgeService {
  /** After which webhook the next tasks begin. */
  private place = BEGINNING;
  /** Since the place was last at the beginning, a webhook has had more deliveries than fit in a bite. */
  private mustComeAgain = false;

  constructor(
    jobs: PeriodicJobs,
    private readonly webhooks: WebhooksRepository,
  ) {
    jobs.add('webhookPurge', {
      intervalMs: INTERVAL_MS,
      tasks: (connection) => this.tasks(connection),
    });
  }

  private async tasks(connection: Connection): Promise<JobTask[]> {
    const ids = await this.webhooks.listDeleted(connection, this.place, WEBHOOKS_AT_ONCE);
    const areLast = ids.length < WEBHOOKS_AT_ONCE;
    this.place = areLast ? BEGINNING : ids.at(-1)!;
    const purges = ids.map((id) => ({ name: id, run: (own: Connection) => this.purge(own, id) }));
    const goOn = async () => !areLast || this.takeMustComeAgain();
    return [...purges, { name: 'the next webhooks', run: goOn }];
  }

  private async purge(connection: Connection, id: string): Promise<void> {
    if (await this.webhooks.purge(connection, id, DELIVERIES_IN_A_BITE)) this.mustComeAgain = true;
  }

  private takeMustComeAgain(): boolean {
    const must = this.mustComeAgain;
    this.mustComeAgain = false;
    return must;
  }
}
