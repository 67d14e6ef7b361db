import { Injectable } from '@nestjs/common';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import type { Connection } from '../database/transaction.js';
import { OwnRetentionsService } from '../quotas/own-retentions.service.js';
import { RunsRepository } from './runs.repository.js';

const INTERVAL_MS = 60 * 60_000;
/** Number of runs in a bite. Their events go with them. */
const BITE = 1_000;

/**
 * Deletes ended runs of projects that keep them for fewer days than the installation. A pass goes from project to project, and through
 * the runs of each in the order of their ids. The days are read again with each bite.
 */
@Injectable()
export class OwnRunRetentionService {
  /** The last project that this pass has finished. */
  private finished: string | undefined;
  /** The last run that was deleted in the next project. */
  private lastRun: string | undefined;

  constructor(
    jobs: PeriodicJobs,
    private readonly retentions: OwnRetentionsService,
    private readonly runs: RunsRepository,
  ) {
    const name = 'runs of projects with their own retention';
    const run = (connection: Connection) => this.bite(connection);
    jobs.add('ownRunRetention', { intervalMs: INTERVAL_MS, tasks: () => [{ name, run }] });
  }

  private async bite(connection: Connection): Promise<boolean> {
    const { finished, lastRun } = this;
    const next = await this.retentions.next(connection, 'run_days', finished);
    // A failure leaves the project to the next pass, so that the others get their turn.
    this.finished = next?.projectId;
    this.lastRun = undefined;
    if (!next) return false;
    const last = await this.runs.deleteEndedOf(connection, next, lastRun, BITE);
    if (last !== undefined) [this.finished, this.lastRun] = [finished, last];
    return true;
  }
}
