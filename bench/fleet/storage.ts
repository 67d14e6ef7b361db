import type { Stage } from './stage.js';

/** Tables that grow with the fleet's work, or with the fleet. */
const TELEMETRY_TABLES = ['agent_logs', 'agent_metrics', 'agent_spans', 'telemetry_batches'] as const;
const MAIN_TABLES = [
  'idempotency_records',
  'commands',
  'deployment_events',
  'deployments',
  'agents',
  'agent_configs',
  'agent_presence',
  'agent_search',
  'api_keys',
] as const;

/** A table with its partitions, indexes and large values. */
export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

/** Smallest size that is reported: below it the pages would exist without rows, too. */
const LEAST_BYTES = 1024 * 1024;

/** Sizes of the tables that hold enough rows to calculate bytes per row. */
export async function tableSizes({
  query,
  queryTelemetry = query,
}: Stage): Promise<ReadonlyMap<string, TableSize>> {
  const sizes = new Map<string, TableSize>();
  const tables = [
    ...TELEMETRY_TABLES.map((table) => ({ table, ask: queryTelemetry })),
    ...MAIN_TABLES.map((table) => ({ table, ask: query })),
  ];
  for (const { table, ask } of tables) {
    const [size] = await ask<TableSize>(
      `SELECT (SELECT count(*)::float8 FROM ${table}) AS rows,
         coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('${table}')),
           pg_total_relation_size('${table}'))::float8 AS bytes`,
    );
    if (size && size.bytes >= LEAST_BYTES) sizes.set(table, size);
  }
  return sizes;
}

/** Bytes that the servers of PostgreSQL have ever written to their write-ahead logs. */
export async function writtenAhead({ query, queryTelemetry }: Stage): Promise<number> {
  const asked = await Promise.all(
    (queryTelemetry ? [query, queryTelemetry] : [query]).map((ask) =>
      ask<{ bytes: number }>(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`),
    ),
  );
  return asked.flat().reduce((sum, { bytes }) => sum + bytes, 0);
}
