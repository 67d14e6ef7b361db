import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

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

type Runner = NonNullable<EntityManager['queryRunner']>;

/**
 * Runs one statement and returns its rows, whatever its kind (TypeORM's own `query` returns a pair for an UPDATE).
 * Inside a transaction it uses that transaction's connection.
 */
export function rowsOf<Row>(
  manager: EntityManager,
  statement: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  return onRunner(manager, async (runner) => {
    const result = await runner.query(statement, parameters, true);
    return result.records as Row[];
  });
}

/**
 * Runs one statement like {@link rowsOf}, prepared, for those that run hundreds of times a second: PostgreSQL takes as
 * long to plan one of them as to run it. TypeORM can't name a statement, so this uses its connection. Errors are those
 * of `pg`, not wrapped.
 */
export async function rowsOfPrepared<Row>(
  { queryRunner, dataSource }: EntityManager,
  { name, text }: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  if (queryRunner) return rowsOn((await queryRunner.connect()) as PoolClient, { name, text, values });
  const client = await poolOf(dataSource).connect();
  try {
    return await rowsOn(client, { name, text, values });
  } finally {
    client.release();
  }
}

async function rowsOn<Row>(client: PoolClient, statement: QueryConfig): Promise<Row[]> {
  return (await client.query(statement)).rows as Row[];
}

/** The connections of a data source. @throws Error if they are closed */
export function poolOf({ driver }: DataSource): Pool {
  const { master } = driver as unknown as { master?: Pool };
  if (!master) throw new Error('Driver not Connected');
  return master;
}

async function onRunner<T>(manager: EntityManager, work: (runner: Runner) => Promise<T>): Promise<T> {
  if (manager.queryRunner) return work(manager.queryRunner);
  const runner = manager.dataSource.createQueryRunner();
  try {
    return await work(runner);
  } finally {
    await runner.release();
  }
}
