import pg from 'pg';

/** As many as the service has for what agents call: 40 % of the 20 that it has by default. */
const CONNECTIONS = 8;

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: CONNECTIONS,
  options: '-c timezone=UTC',
});

/** Runs a statement that PostgreSQL has parsed and planned before, on this connection. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows;
}
