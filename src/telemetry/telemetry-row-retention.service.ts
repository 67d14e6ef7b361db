import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import type { Connection } from '../database/transaction.js';
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
    jobs.addDeletions('telemetryRowRetention', INTERVAL_MS, {
      'keys of batches': (connection, limit) => batches.deleteExpired(connection, limit),
      ...Object.fromEntries(
        TELEMETRY_TABLES.map((table) => [
          `${table}_default`,
          (connection: Connection, limit: number) =>
            partitions.deleteFromDefault(connection, table, retentionDays[table], limit),
        ]),
      ),
    });
  }
}
