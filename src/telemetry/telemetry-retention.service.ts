import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { Transactor } from '../database/transactor.js';
import {
  expiredPartitions,
  missingPartitions,
  retentionCutoff,
  TELEMETRY_TABLES,
  type TelemetryTable,
} from './telemetry-partitions.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';

const INTERVAL_MS = 60 * 60_000;
const ROWS_AT_ONCE = 10_000;

/** Has a place ready for the logs and metrics of the days to come, and removes those whose time is over. */
@Injectable()
export class TelemetryRetention implements OnModuleDestroy {
  private readonly job: PeriodicJob;
  private readonly retentionDays: Readonly<Record<TelemetryTable, number>>;
  private extraRounds: Promise<unknown> = Promise.resolve();
  private stopped = false;

  constructor(
    jobs: PeriodicJobs,
    private readonly partitions: TelemetryPartitionsRepository,
    private readonly transactor: Transactor,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.retentionDays = {
      agent_logs: settings.LOG_RETENTION_DAYS,
      agent_metrics: settings.METRIC_RETENTION_DAYS,
    };
    this.job = jobs.add('telemetry retention', {
      lock: ADVISORY_LOCKS.telemetryRetention,
      intervalMs: INTERVAL_MS,
      run: () => this.maintain(new Date()),
      onReconnect: () => this.runSoon(),
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.extraRounds;
  }

  /** One round, as of this moment. A step that fails is left to the next round and keeps no other from being done. */
  async maintain(now: Date): Promise<void> {
    for (const table of TELEMETRY_TABLES) {
      const existing = await this.partitions.list(table);
      for (const partition of missingPartitions(table, existing, now)) {
        await this.attempt(() => this.transactor.run((tx) => this.partitions.create(tx, table, partition)));
      }
      for (const name of expiredPartitions(table, existing, this.retentionDays[table], now)) {
        await this.attempt(() => this.transactor.run((tx) => this.partitions.drop(tx, name)));
      }
      await this.attempt(() => this.drainDefault(table, retentionCutoff(this.retentionDays[table], now)));
    }
  }

  private async drainDefault(table: TelemetryTable, before: Date): Promise<void> {
    let deleted: number;
    do deleted = await this.partitions.deleteFromDefault(table, before, ROWS_AT_ONCE);
    while (deleted === ROWS_AT_ONCE && !this.stopped);
  }

  private runSoon(): void {
    this.extraRounds = this.extraRounds
      .then(() => (this.stopped ? undefined : this.job.runOnce()))
      .catch((error: unknown) => this.report(error));
  }

  private async attempt(step: () => Promise<void>): Promise<void> {
    if (this.stopped) return;
    try {
      await step();
    } catch (error) {
      this.report(error);
    }
  }

  private report(error: unknown): void {
    this.logger.warn({ err: error }, 'the housekeeping of logs and metrics is behind');
  }
}
