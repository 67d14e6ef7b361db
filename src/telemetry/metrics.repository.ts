import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import { Transactor } from '../database/transactor.js';
import { type RowWriting, TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import type {
  BatchOutcome,
  NewMetric,
  StoredMetric,
  TelemetryBatch,
  TelemetrySource,
  TimeFilter,
} from './telemetry.types.js';

const WRITING: RowWriting<NewMetric> = {
  insert: `INSERT INTO agent_metrics (agent_id, "timestamp", id, deployment_id, cpu_usage, memory_usage,
      uptime_seconds, requests_processed, errors_count, custom)
    SELECT entry.agent_id, moment, id, coalesce(entry.deployment_id, sole.deployment_id), cpu_usage, memory_usage,
      uptime_seconds, requests_processed, errors_count, custom::jsonb
    FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[], $5::float8[], $6::float8[], $7::float8[],
      $8::bigint[], $9::bigint[], $10::text[])
      WITH ORDINALITY AS entry (agent_id, moment, id, deployment_id, cpu_usage, memory_usage, uptime_seconds,
        requests_processed, errors_count, custom, place)
    LEFT JOIN sole ON sole.agent_id = entry.agent_id`,
  columnsOf: (metrics) => [
    metrics.map((metric) => metric.agentId),
    metrics.map((metric) => metric.timestamp.toISOString()),
    metrics.map((metric) => metric.id),
    metrics.map((metric) => metric.deploymentId),
    metrics.map((metric) => metric.cpuUsage),
    metrics.map((metric) => metric.memoryUsage),
    metrics.map((metric) => metric.uptimeSeconds),
    metrics.map((metric) => metric.requestsProcessed),
    metrics.map((metric) => metric.errorsCount),
    metrics.map((metric) => metric.custom),
  ],
};

@Injectable()
export class MetricsRepository {
  constructor(
    private readonly transactor: Transactor,
    private readonly batches: TelemetryBatchesRepository,
  ) {}

  /** All of them or none. @returns what became of each batch, in order */
  insert(batches: readonly TelemetryBatch<NewMetric>[]): Promise<BatchOutcome[]> {
    return this.batches.write(batches, WRITING);
  }

  /** Newest first. */
  async list(source: TelemetrySource, filter: TimeFilter, request: PageRequest): Promise<Page<StoredMetric>> {
    const [column, owner] =
      'agentId' in source ? ['agent_id', source.agentId] : ['deployment_id', source.deploymentId];
    const where = `${column} = $1
      AND ($2::timestamptz IS NULL OR "timestamp" >= $2)
      AND ($3::timestamptz IS NULL OR "timestamp" < $3)`;
    const parameters = [owner, filter.since, filter.until];
    const rows = await rowsOf<StoredMetric>(
      this.transactor.reader,
      `SELECT id, agent_id, deployment_id, "timestamp", cpu_usage, memory_usage, uptime_seconds,
         requests_processed, errors_count, custom
       FROM agent_metrics WHERE ${where}
       ORDER BY "timestamp" DESC, id DESC LIMIT $4 OFFSET $5`,
      [...parameters, request.limit + 1, request.skip],
    );
    if (!request.includeTotal) return Page.of(rows, request);
    const [counted] = await rowsOf<{ total: number }>(
      this.transactor.reader,
      `SELECT count(*)::int AS total FROM agent_metrics WHERE ${where}`,
      parameters,
    );
    return Page.of(rows, request, counted?.total);
  }
}
