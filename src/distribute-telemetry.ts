import type { Client } from 'pg';
import { ADVISORY_LOCKS } from './database/advisory-locks.js';
import { takeTurn } from './database/migrate.js';

/** The database can't spread tables. The message says what to do. */
export class DistributionError extends Error {}

/**
 * The tables by agent that are not spread yet, and the one that others lie next to. A partition follows its table. By hand: no
 * entity describes PostgreSQL's catalogue, or that of Citus.
 */
const WHOLE_TABLES = `SELECT found.oid::regclass::text AS name,
    (SELECT table_name::text FROM citus_tables WHERE distribution_column = 'agent_id' ORDER BY 1 LIMIT 1) AS beside
  FROM pg_class AS found JOIN pg_attribute ON attrelid = found.oid AND attname = 'agent_id' AND NOT attisdropped
  WHERE found.relkind IN ('r', 'p') AND NOT found.relispartition AND found.relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM citus_tables WHERE table_name = found.oid AND distribution_column = 'agent_id')
  ORDER BY 1`;

/**
 * Spreads the telemetry over the servers of a Citus cluster by `agent_id`, so that all rows of an agent are on one of them. What is
 * spread already stays as it is, so an interrupted call can be repeated. Concurrent programs, including migrations, wait for each other.
 *
 * @param client connected to the coordinator as the owner of the tables; after an error it has to be ended
 * @param tell called with the name of each table that was spread
 * @throws DistributionError if the database has no extension `citus`
 */
export async function distributeTelemetry(client: Client, tell: (table: string) => void): Promise<void> {
  const { rows: catalogue } = await client.query(`SELECT WHERE to_regclass('citus_tables') IS NOT NULL`);
  if (catalogue.length === 0) {
    throw new DistributionError(
      'TELEMETRY_DATABASE_URL names a database without the extension citus: create it there and on its workers first',
    );
  }
  await takeTurn(client);
  const { rows: tables } = await client.query<{ name: string; beside: string | null }>(WHOLE_TABLES);
  let beside = tables[0]?.beside ?? 'none';
  for (const { name } of tables) {
    // Each is a transaction of its own: Citus copies the rows that are there.
    await client.query(`SELECT create_distributed_table($1::regclass, 'agent_id', colocate_with => $2)`, [
      name,
      beside,
    ]);
    tell(name);
    if (beside === 'none') beside = name;
  }
  await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
}
