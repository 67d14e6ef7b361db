import pg from 'pg';

/** As many as the service has for what agents call: 40 % of the 20 that it has by default. */
const CONNECTIONS = 8;

const CONFIG = { connectionString: process.env.DATABASE_URL, max: CONNECTIONS, options: '-c timezone=UTC' };

export const pool = new pg.Pool(CONFIG);
/** Its clients send a statement without waiting for the answer to the one before. */
export const pipelinedPool = new pg.Pool({ ...CONFIG, pipeline: true });

/** Text in place of a `Date`, which takes the driver longer to make than all the rest of a row. */
const TIMES_AS_TEXT: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === (pg.types.builtins.TIMESTAMPTZ as number)
      ? String
      : (pg.types.getTypeParser(oid, format) as unknown)) as pg.CustomTypesConfig['getTypeParser'],
};

/** The form of the times that a read returns. */
export type Times = 'dates' | 'texts';

/** Runs a statement that PostgreSQL has parsed and planned before, on this connection. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  values: unknown[],
  times: Times = 'dates',
): Promise<Row[]> {
  const types = times === 'texts' ? TIMES_AS_TEXT : undefined;
  return (await pool.query<Row>({ name, text, values, types })).rows;
}
