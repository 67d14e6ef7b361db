import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { readPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { AgentMetricEntity } from './agent-metric.entity.js';
import { isUnfiltered, newestEntries } from './newest-entries.repository.js';
import { NewestPage } from './newest-page.js';
import { type RowWriting, TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import type {
  BatchOutcome,
  NewMetric,
  StoredMetric,
  TelemetryBatch,
  TelemetrySource,
  TimeFilter,
} from './telemetry.types.js';

/** By hand: the hot path of ingestion; see `LogsRepository`. */
const WRITING: RowWriting<NewMetric> = {
  name: 'insert_metrics',
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

const BYTES = 'coalesce(octet_length(custom::text), 0)';
const NEWEST = new NewestPage('metrics', AgentMetricEntity, BYTES);

@Injectable()
export class MetricsRepository {
  constructor(private readonly batches: TelemetryBatchesRepository) {}

  /** All of them or none, in one statement. @returns what became of each batch, in order */
  insert(connection: Connection, batches: readonly TelemetryBatch<NewMetric>[]): Promise<BatchOutcome[]> {
    return this.batches.write(connection, batches, WRITING);
  }

  /** Newest first. */
  async list(
    connection: Connection,
    source: TelemetrySource,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    const newest = isUnfiltered(filter)
      ? await NEWEST.read<StoredMetric>(connection, source, request)
      : undefined;
    if (newest) return newest;
    return readPage(connection, newestEntries(connection, AgentMetricEntity, source, filter), request, BYTES);
  }
}
