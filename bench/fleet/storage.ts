import type { Stage } from './stage.js';

type Query = Stage['query'];

/** Tables that grow with the fleet's work, or with the fleet. */
const TABLES = [
  'agent_logs',
  'agent_metrics',
  'agent_spans',
  'telemetry_batches',
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
export async function tableSizes(query: Query): Promise<ReadonlyMap<string, TableSize>> {
  const sizes = new Map<string, TableSize>();
  for (const table of TABLES) {
    const [size] = await query<TableSize>(
      `SELECT (SELECT count(*)::float8 FROM ${table}) AS rows,
         coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('${table}')),
           pg_total_relation_size('${table}'))::float8 AS bytes`,
    );
    if (size && size.bytes >= LEAST_BYTES) sizes.set(table, size);
  }
  return sizes;
}

/** Bytes that PostgreSQL has ever written to its write-ahead log. */
export async function writtenAhead(query: Query): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
  );
  return row!.bytes;
}
