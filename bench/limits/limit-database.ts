import pg from 'pg';

/** Connections of the service's pool for runtimes: 40 % of its default of 20. */
const CONNECTIONS = 8;

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: CONNECTIONS,
  // Without the second one PostgreSQL plans some of the reads each time, which takes as long as the read.
  options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan',
});

/** Runs a statement that PostgreSQL has parsed and planned before, on this connection. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows;
}
