import type { Pool, PoolClient } from 'pg';
import { type DataSource, type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';

/** A statement that each connection parses once. */
export interface PreparedStatement {
  /** Unique: a connection refuses another text under the same name. */
  readonly name: string;
  readonly text: string;
}

/**
 * The parameters `$1`, `$2` and so on of a prepared statement that are lists of these types: `unnest(${lists('uuid',
 * 'text')})`.
 *
 * PostgreSQL expects ten items of an unknown list, finds that a plan for the present shorter one is cheaper, and plans
 * each execution again: 0.2 to 0.5 ms. The value of a subquery is not known when it plans.
 */
export function lists(...types: readonly string[]): string {
  return types.map((type, index) => `(SELECT $${index + 1}::${type}[])`).join(', ');
}

/**
 * Runs one statement and returns its rows, whatever its kind: TypeORM's own `query` returns a pair for an UPDATE, and can't
 * prepare a statement. Inside a transaction it uses that transaction's connection.
 *
 * @param statement prepared if it runs hundreds of times a second: PostgreSQL takes as long to plan one of them as to run it
 */
export async function rowsOf<Row>(
  { queryRunner, dataSource }: EntityManager,
  statement: string | PreparedStatement,
  values: unknown[] = [],
): Promise<Row[]> {
  const runner = queryRunner ?? dataSource.createQueryRunner();
  try {
    if (runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const client = (await runner.connect()) as PoolClient;
    const query = typeof statement === 'string' ? { text: statement } : statement;
    return (await client.query({ ...query, values })).rows as Row[];
  } finally {
    if (!queryRunner) await runner.release();
  }
}

/** The connections of a data source. @throws Error if they are closed */
export function poolOf({ driver }: DataSource): Pool {
  const { master } = driver as unknown as { master?: Pool };
  if (!master) throw new Error('Driver not Connected');
  return master;
}
