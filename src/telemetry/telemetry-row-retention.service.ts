import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { JobTask, PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import { retentionDaysOf, TELEMETRY_TABLES } from './telemetry-partitions.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';

const INTERVAL_MS = 10 * 60_000;
/** Rows in one statement, so that none holds its locks for long. */
const ROWS_IN_A_BITE = 5_000;

/**
 * Deletes the expired rows that no dropped partition takes with it, by the database's clock: keys of batches, and the
 * rows in the default partitions.
 */
@Injectable()
export class TelemetryRowRetention {
  private readonly job: PeriodicJob;

  constructor(
    jobs: PeriodicJobs,
    batches: TelemetryBatchesRepository,
    partitions: TelemetryPartitionsRepository,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const retentionDays = retentionDaysOf(settings);
    const keys: JobTask = {
      name: 'keys of batches',
      run: async (connection) => (await batches.deleteExpired(connection, ROWS_IN_A_BITE)) === ROWS_IN_A_BITE,
    };
    const defaults = TELEMETRY_TABLES.map((table): JobTask => ({
      name: `${table}_default`,
      run: async (connection) => {
        const days = retentionDays[table];
        return (
          (await partitions.deleteFromDefault(connection, table, days, ROWS_IN_A_BITE)) === ROWS_IN_A_BITE
        );
      },
    }));
    this.job = jobs.add('telemetry row retention', {
      lock: ADVISORY_LOCKS.telemetryRowRetention,
      intervalMs: INTERVAL_MS,
      tasks: () => [keys, ...defaults],
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }
}
