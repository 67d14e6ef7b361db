import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { JobTask, PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { type Connection, inTransaction } from '../database/transaction.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import {
  expiredPartitions,
  missingPartitions,
  TELEMETRY_TABLES,
  type TelemetryTable,
} from './telemetry-partitions.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';

const PARTITIONS_INTERVAL_MS = 60 * 60_000;
const ROWS_INTERVAL_MS = 10 * 60_000;

/**
 * Creates the partitions of the days to come, and drops those past their retention, by the database's clock. Each
 * partition is a task with its own transaction; a failed one is left to the next round. No task is repeated in the same
 * round, because writers queue behind each attempt. A separate job deletes expired rows that no partition takes along:
 * batch keys, and rows in the default partitions.
 */
@Injectable()
export class TelemetryRetentionService {
  private readonly retentionDays: Readonly<Record<TelemetryTable, number>>;

  constructor(
    jobs: PeriodicJobs,
    telemetry: TelemetryDatabase,
    private readonly partitions: TelemetryPartitionsRepository,
    batches: TelemetryBatchesRepository,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.retentionDays = {
      agent_logs: settings.LOG_RETENTION_DAYS,
      agent_metrics: settings.METRIC_RETENTION_DAYS,
      agent_spans: settings.SPAN_RETENTION_DAYS,
      agent_span_contents: settings.SPAN_RETENTION_DAYS,
    };
    const job: PeriodicJob = jobs.add(
      'telemetryRetention',
      {
        intervalMs: PARTITIONS_INTERVAL_MS,
        tasks: (connection) => this.tasks(connection),
        // The interval is long, and a new service needs its partitions at once.
        onReconnect: () => void job.runSoon(),
      },
      telemetry,
    );
    jobs.addDeletions(
      'telemetryRowRetention',
      ROWS_INTERVAL_MS,
      {
        'keys of batches': (connection, limit) => batches.deleteExpired(connection, limit),
        ...Object.fromEntries(
          TELEMETRY_TABLES.map((table) => [
            `${table}_default`,
            (connection: Connection, limit: number) =>
              partitions.deleteFromDefault(connection, table, this.retentionDays[table], limit),
          ]),
        ),
      },
      telemetry,
    );
  }

  private async tasks(connection: Connection): Promise<JobTask[]> {
    const now = await this.partitions.now(connection);
    const tasks: JobTask[] = [];
    for (const table of TELEMETRY_TABLES) {
      tasks.push(...this.tasksOf(table, await this.partitions.list(connection, table), now));
    }
    return tasks;
  }

  private tasksOf(table: TelemetryTable, existing: readonly string[], now: Date): JobTask[] {
    const creations = missingPartitions(table, existing, now).map((partition) => ({
      name: `create ${partition.name}`,
      run: (connection: Connection) =>
        inTransaction(connection, (tx) => this.partitions.create(tx, table, partition)),
    }));
    const drops = expiredPartitions(table, existing, this.retentionDays[table], now).map((name) => ({
      name: `drop ${name}`,
      run: (connection: Connection) => inTransaction(connection, (tx) => this.partitions.drop(tx, name)),
    }));
    return [...creations, ...drops];
  }
}
