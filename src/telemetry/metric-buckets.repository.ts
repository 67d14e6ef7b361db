import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import type { BucketRequest, BucketValue, TelemetrySource } from './telemetry.types.js';

/** Measurements of an agent's own that are summed up, in the order of their names. */
export const MAXIMUM_CUSTOM_NAMES = 20;

/** PostgreSQL's mean squares what it adds up, and fails on an overflow. */
const LARGEST_MEANT = '1e150';

/** SQL by hand: sums over buckets of time. */
@Injectable()
export class MetricBucketsRepository {
  /** One row for each bucket and measurement that has samples; buckets in their order. */
  async read(
    connection: Connection,
    source: TelemetrySource,
    { since, until, seconds }: BucketRequest,
  ): Promise<BucketValue[]> {
    const [column, id] =
      'agentId' in source ? ['agent_id', source.agentId] : ['deployment_id', source.deploymentId];
    return rowsOf<BucketValue>(
      connection,
      `WITH sample AS MATERIALIZED (
         SELECT date_bin(make_interval(secs => $4), "timestamp", 'epoch') AS bucket, "timestamp", id, deployment_id,
           cpu_usage, memory_usage, requests_processed, errors_count, custom
         FROM agent_metrics WHERE ${column} = $1 AND "timestamp" >= $2 AND "timestamp" < $3
       ), own AS MATERIALIZED (
         SELECT bucket, key AS name, (value #>> '{}')::float8 AS value
         FROM sample CROSS JOIN LATERAL jsonb_each(custom) WHERE jsonb_typeof(value) = 'number'
       ), measured AS (
         SELECT bucket, 'cpu_usage' AS kind, '' AS name, cpu_usage AS value FROM sample
         UNION ALL SELECT bucket, 'memory_usage', '', memory_usage FROM sample
         UNION ALL SELECT bucket, 'custom', name, value FROM own
         WHERE name IN (SELECT name FROM own GROUP BY name ORDER BY name LIMIT ${MAXIMUM_CUSTOM_NAMES})
       ), counted AS (
         SELECT bucket, kind, value, lag(value) OVER (PARTITION BY kind, deployment_id ORDER BY "timestamp", id) AS before
         FROM sample CROSS JOIN LATERAL (VALUES ('requests', requests_processed), ('errors', errors_count))
           AS counter (kind, value)
         WHERE value IS NOT NULL
       )
       SELECT bucket, kind, name, min(value) AS min, max(value) AS max,
         avg(greatest(-${LARGEST_MEANT}, least(${LARGEST_MEANT}, value))) AS mean, NULL::float8 AS rise
       FROM measured WHERE value IS NOT NULL GROUP BY bucket, kind, name
       UNION ALL
       SELECT bucket, kind, '', NULL, NULL, NULL,
         sum(CASE WHEN before IS NULL THEN 0 WHEN value < before THEN value ELSE value - before END)::float8
       FROM counted GROUP BY bucket, kind
       ORDER BY bucket, kind, name`,
      [id, since, until, seconds],
    );
  }
}
