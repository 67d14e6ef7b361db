import { Injectable } from '@nestjs/common';
import { NIL } from 'uuid';
import type { JobTask } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import type { Connection } from '../database/transaction.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** An id before that of every webhook. */
const BEGINNING: string = NIL;
const INTERVAL_MS = 10_000;
const WEBHOOKS_AT_ONCE = 20;
const DELIVERIES_IN_A_BITE = 1_000;

/**
 * Finishes the removal of webhooks: deletes their deliveries, then the row. Continues after a crash. A webhook that
 * can't be purged delays no other: each is a separate task, and later rounds continue after the first twenty.
 */
@Injectable()
export class WebhookPurgeService {
  /** The webhook id after which the next tasks begin. */
  private place = BEGINNING;
  /** True if, since the round over all webhooks began, one had more deliveries than one statement deletes. */
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
