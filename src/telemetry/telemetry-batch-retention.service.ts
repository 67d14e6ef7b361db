import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';

const INTERVAL_MS = 10 * 60_000;
/** Rows in one statement, so that none holds its locks for long. */
const ROWS_AT_ONCE = 10_000;

/** Forgets the keys of batches whose day is over, by the database's clock, which has set them their day. */
@Injectable()
export class TelemetryBatchRetention {
  private readonly job: PeriodicJob;

  constructor(
    jobs: PeriodicJobs,
    private readonly batches: TelemetryBatchesRepository,
  ) {
    this.job = jobs.add('telemetry batch retention', {
      lock: ADVISORY_LOCKS.telemetryBatchRetention,
      intervalMs: INTERVAL_MS,
      run: () => this.round(),
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }

  private async round(): Promise<void> {
    while ((await this.batches.deleteExpired(ROWS_AT_ONCE)) === ROWS_AT_ONCE);
  }
}
