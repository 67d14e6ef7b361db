import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { AgentMetricEntity } from './agent-metric.entity.js';
import { NewestEntries } from './newest-entries.repository.js';
import {
  type RowWriting,
  TelemetryBatchesRepository,
  TIME_OF_ENTRY,
} from './telemetry-batches.repository.js';
import type {
  BatchOutcome,
  BucketRequest,
  BucketValue,
  EntryPlace,
  NewMetric,
  StoredMetric,
  TelemetryBatch,
  MeasuredSource,
  TimeFilter,
} from './telemetry.types.js';

/** SQL by hand for the hot path of ingestion; see `LogsRepository`. */
const WRITING: RowWriting<NewMetric> = {
  name: 'insert_metrics',
  insert: `INSERT INTO agent_metrics (agent_id, "timestamp", id, deployment_id, run_id, cpu_usage,
      memory_usage, uptime_seconds, requests_processed, errors_count, custom)
    SELECT entry.agent_id, ${TIME_OF_ENTRY}, id, coalesce(entry.deployment_id, sole.deployment_id), run_id, cpu_usage,
      memory_usage, uptime_seconds, requests_processed, errors_count, custom::jsonb
    FROM unnest($1::uuid[], $2::float8[], $3::uuid[], $4::uuid[], $5::uuid[], $6::float8[], $7::float8[], $8::float8[],
      $9::bigint[], $10::bigint[], $11::text[])
      WITH ORDINALITY AS entry (agent_id, moment, id, deployment_id, run_id, cpu_usage, memory_usage, uptime_seconds,
        requests_processed, errors_count, custom, place)
    LEFT JOIN sole ON sole.agent_id = entry.agent_id`,
  columnsOf: (metrics) => [
    metrics.map((metric) => metric.agentId),
    metrics.map((metric) => metric.timestamp.getTime()),
    metrics.map((metric) => metric.id),
    metrics.map((metric) => metric.deploymentId),
    metrics.map((metric) => metric.runId),
    metrics.map((metric) => metric.cpuUsage),
    metrics.map((metric) => metric.memoryUsage),
    metrics.map((metric) => metric.uptimeSeconds),
    metrics.map((metric) => metric.requestsProcessed),
    metrics.map((metric) => metric.errorsCount),
    metrics.map((metric) => metric.custom),
  ],
};

const BYTES = 'coalesce(octet_length(custom::text), 0)';
const NEWEST = new NewestEntries('metrics', AgentMetricEntity, BYTES);

/** Maximum number of the agent's own measurements in a sum, in the order of their names. */
export const MAXIMUM_CUSTOM_NAMES = 20;

/** Larger values count as this one in a mean and a rise: PostgreSQL squares the values of a mean, and fails on an overflow. */
const LARGEST_MEANT = '1e150';

/** SQL: a value within {@link LARGEST_MEANT}. */
const bounded = (value: string) => `greatest(-${LARGEST_MEANT}, least(${LARGEST_MEANT}, ${value}))`;

/** SQL: true for a point of a counter that counts from the last point, `{"sum": 5, "delta": true}`: it has no count as a distribution has. */
const IS_DELTA = `(value ? 'delta' AND NOT value ? 'count' AND jsonb_typeof(value -> 'sum') = 'number')`;

/** SQL: the count and the sum of a distribution, within what can be divided without an overflow or an underflow, which are errors. */
const COUNT = (value: string) => `greatest(0, least(1e15, trunc((${value} ->> 'count')::float8)))`;
const SUM = (value: string) => `CASE WHEN abs((${value} ->> 'sum')::float8) < 1e-150 THEN 0
  ELSE ${bounded(`(${value} ->> 'sum')::float8`)} END`;

/**
 * SQL: a number for the process that counts, and for the part of its program that does; null: the agent sent the metrics itself. Totals
 * of several processes are not one total. The processes of runs are short, and each counts on for the one before it in its replica.
 */
const COUNTED_BY = `CASE jsonb_typeof(custom -> 'metrics') WHEN 'object' THEN
  jsonb_hash_extended(jsonb_build_array(custom -> 'scope', CASE WHEN custom -> 'resource' ? 'agent_control_plane.run_id'
    THEN custom -> 'resource' -> 'agent_control_plane.replica' ELSE custom -> 'resource' END), 0) END`;

/**
 * SQL: the mean of a distribution since the sample before it. One that counts from its last sample, or has begun anew, is a mean by
 * itself. Null: it got nothing.
 */
const MEAN_SINCE_BEFORE = `CASE
  WHEN value ? 'delta' OR before IS NULL OR ${COUNT('before')} > count THEN sum / nullif(count, 0)
  ELSE (sum - ${SUM('before')}) / nullif(count - ${COUNT('before')}, 0) END`;

@Injectable()
export class MetricsRepository {
  constructor(private readonly batches: TelemetryBatchesRepository) {}

  /** Inserts all of them or none, in one statement. @returns the outcome of each batch, in order */
  insert(connection: Connection, batches: readonly TelemetryBatch<NewMetric>[]): Promise<BatchOutcome[]> {
    return this.batches.write(connection, batches, WRITING);
  }

  /** Lists metrics, newest first. */
  list(
    connection: Connection,
    source: MeasuredSource,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    return NEWEST.read(connection, source, filter, request);
  }

  /** Finds the place of an entry; see `NewestEntries.place`. */
  place(
    connection: Connection,
    source: MeasuredSource,
    id: string,
    times: TimeFilter,
  ): Promise<EntryPlace | undefined> {
    return NEWEST.place(connection, source, id, times);
  }

  /**
   * Returns one row for each bucket and measurement with samples, in the order of the buckets. By hand: sums over
   * buckets of time. What came by OTLP lies in `metrics`; a distribution is the mean of what it got since its last sample, and a
   * counter that counts from the last point rises by each point.
   */
  async buckets(
    connection: Connection,
    source: MeasuredSource,
    { since, until, seconds, named }: BucketRequest,
  ): Promise<BucketValue[]> {
    const [column, id] =
      'agentId' in source ? ['agent_id', source.agentId] : ['deployment_id', source.deploymentId];
    return rowsOf<BucketValue>(
      connection,
      `WITH sample AS MATERIALIZED (
         SELECT date_bin(make_interval(secs => $4), "timestamp", 'epoch') AS bucket, "timestamp", id, deployment_id,
           cpu_usage, memory_usage, requests_processed, errors_count, custom, ${COUNTED_BY} AS process
         FROM agent_metrics WHERE ${column} = $1 AND "timestamp" >= $2 AND "timestamp" < $3
       ), member AS NOT MATERIALIZED (
         SELECT bucket, "timestamp", id, deployment_id, process, key AS name, value
         FROM sample CROSS JOIN LATERAL jsonb_each(custom) WHERE jsonb_typeof(value) = 'number'
         UNION ALL SELECT bucket, "timestamp", id, deployment_id, process, key, value
         FROM sample CROSS JOIN LATERAL
           jsonb_each(CASE jsonb_typeof(custom -> 'metrics') WHEN 'object' THEN custom -> 'metrics' END)
         WHERE jsonb_typeof(value) = 'number' OR ${IS_DELTA}
           OR jsonb_typeof(value -> 'count') = 'number' AND jsonb_typeof(value -> 'sum') = 'number'
       ), chosen AS MATERIALIZED (
         SELECT name, (count(*) OVER ())::int AS names
         FROM (SELECT DISTINCT name FROM member WHERE strpos(lower(name), lower($5)) > 0) AS matching
         ORDER BY name LIMIT ${MAXIMUM_CUSTOM_NAMES}
       ), own AS (
         SELECT bucket, "timestamp", id, deployment_id, process, name, ${IS_DELTA} AS is_delta,
           CASE WHEN jsonb_typeof(value) = 'number' THEN (value #>> '{}')::float8
             WHEN ${IS_DELTA} THEN (value ->> 'sum')::float8 ELSE ${MEAN_SINCE_BEFORE} END AS value
         FROM (
           SELECT member.*, ${COUNT('value')} AS count, ${SUM('value')} AS sum, lag(value) OVER (PARTITION BY name, deployment_id, process ORDER BY "timestamp", id) AS before
           FROM member JOIN chosen USING (name)
         ) AS point
       ), total AS (
         SELECT bucket, "timestamp", id, deployment_id, process, kind, '' AS name, false AS is_delta, value
         FROM sample CROSS JOIN LATERAL (VALUES ('requests', requests_processed), ('errors', errors_count))
           AS counter (kind, value)
         WHERE value IS NOT NULL
         UNION ALL SELECT bucket, "timestamp", id, deployment_id, process, 'custom', name, is_delta, value FROM own WHERE value IS NOT NULL
       ), followed AS (
         SELECT bucket, kind, name, value, is_delta, ${bounded('value')} AS after,
           lag(${bounded('value')}) OVER (PARTITION BY kind, name, deployment_id, process ORDER BY "timestamp", id) AS before
         FROM total
       ), measured AS (
         SELECT bucket, 'cpu_usage' AS kind, '' AS name, cpu_usage AS value, NULL::float8 AS rise FROM sample
         UNION ALL SELECT bucket, 'memory_usage', '', memory_usage, NULL FROM sample
         UNION ALL SELECT bucket, kind, name, value,
           CASE WHEN is_delta THEN greatest(0, after) WHEN before IS NULL THEN 0 WHEN after < before THEN greatest(0, after) ELSE after - before END
         FROM followed
       )
       SELECT bucket, kind, name, min(value) AS min, max(value) AS max, avg(${bounded('value')}) AS mean, sum(rise) AS rise,
         (SELECT max(names) FROM chosen) AS names
       FROM measured WHERE value IS NOT NULL GROUP BY bucket, kind, name
       ORDER BY bucket, kind, name`,
      [id, since, until, seconds, named],
    );
  }
}
