import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { deletion } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import { retentionDaysOf, TELEMETRY_TABLES } from './telemetry-partitions.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';

const INTERVAL_MS = 10 * 60_000;

/**
 * Deletes the expired rows that no dropped partition takes with it, by the database's clock: keys of batches, and the
 * rows in the default partitions.
 */
@Injectable()
export class TelemetryRowRetention {
  constructor(
    jobs: PeriodicJobs,
    batches: TelemetryBatchesRepository,
    partitions: TelemetryPartitionsRepository,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const retentionDays = retentionDaysOf(settings);
    const keys = deletion('keys of batches', (connection, limit) => batches.deleteExpired(connection, limit));
    const defaults = TELEMETRY_TABLES.map((table) =>
      deletion(`${table}_default`, (connection, limit) =>
        partitions.deleteFromDefault(connection, table, retentionDays[table], limit),
      ),
    );
    jobs.add('telemetryRowRetention', {
      intervalMs: INTERVAL_MS,
      tasks: () => [keys, ...defaults],
    });
  }
}
