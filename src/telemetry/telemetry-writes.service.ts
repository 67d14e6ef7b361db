import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { LogsRepository } from './logs.repository.js';
import { MetricsRepository } from './metrics.repository.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import type { BatchOutcome, NewLog, NewMetric, TelemetryBatch } from './telemetry.types.js';

/** Maximum number of requests in one statement: batches of the largest size then take seconds at most. */
const REQUESTS_IN_A_GROUP = 64;
/** Number of groups under way: one is built while another waits for the disk. */
const GROUPS_AT_ONCE = 2;
/**
 * Nobody is in a hurry for the reply. With 10,000 agents a group of logs then holds nine batches instead of three, and a batch takes
 * PostgreSQL 0.09 ms of processor time instead of 0.17. Milliseconds.
 */
const PACE_MS = 50;
/** Length of what each row has: ids, a time, numbers; in characters. */
const SHORT_FIELDS = 150;

export type Writes<Row> = GroupCommit<TelemetryBatch<Row>, BatchOutcome>;

/**
 * Writes the batches of concurrent requests in groups. Metrics that people report are grouped with those of agents, and therefore use
 * the runtimes' pool.
 */
@Injectable()
export class TelemetryWritesService {
  readonly logs: Writes<NewLog>;
  readonly metrics: Writes<NewMetric>;

  constructor(
    private readonly database: Database,
    private readonly telemetry: TelemetryDatabase,
    private readonly batches: TelemetryBatchesRepository,
    logs: LogsRepository,
    metrics: MetricsRepository,
  ) {
    this.logs = groupedWrites(
      'logs',
      async (batches) => logs.insert(telemetry.runtimes.manager, await this.assigned(batches)),
      (log) => log.message.length + (log.metadata?.length ?? 0),
    );
    this.metrics = groupedWrites(
      'metrics',
      async (batches) => metrics.insert(telemetry.runtimes.manager, await this.assigned(batches)),
      (metric) => metric.custom?.length ?? 0,
    );
  }

  /**
   * Assigns entries without a deployment to the only active one of their agent. Where all is in one database, the statement that
   * writes them does.
   */
  private async assigned<Row extends AssignedRow>(
    batches: readonly TelemetryBatch<Row>[],
  ): Promise<readonly TelemetryBatch<Row>[]> {
    if (!this.telemetry.isApart) return batches;
    const open = batches.flatMap(({ rows }) => rows.filter(({ deploymentId }) => deploymentId === null));
    const agentIds = [...new Set(open.map(({ agentId }) => agentId))];
    const sole = await this.batches.soleDeployments(this.database.runtimes.manager, agentIds);
    const assign = (row: Row): Row => ({
      ...row,
      deploymentId: row.deploymentId ?? sole.get(row.agentId) ?? null,
    });
    return batches.map((batch) => ({ ...batch, rows: batch.rows.map(assign) }));
  }
}

interface AssignedRow {
  readonly agentId: string;
  readonly deploymentId: string | null;
}

/** @param lengthOf returns the length of a row's long fields, in characters */
function groupedWrites<Row>(
  name: string,
  insert: (batches: readonly TelemetryBatch<Row>[]) => Promise<BatchOutcome[]>,
  lengthOf: (row: Row) => number,
): Writes<Row> {
  return new GroupCommit(name, insert, {
    items: REQUESTS_IN_A_GROUP,
    weightOf: ({ rows }) => rows.reduce((sum, row) => sum + SHORT_FIELDS + lengthOf(row), 0),
    concurrency: GROUPS_AT_ONCE,
    paceMs: PACE_MS,
  });
}
