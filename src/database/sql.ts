import type { PoolClient } from 'pg';
import type { EntityManager } from 'typeorm';

/** A statement that each connection parses once. */
export interface PreparedStatement {
  /** Its own: a connection refuses another text under the same name. */
  readonly name: string;
  readonly text: string;
}

type Runner = NonNullable<EntityManager['queryRunner']>;

/**
 * Runs one statement and returns its rows, whatever its kind (TypeORM's own `query` answers an UPDATE with a
 * pair). Inside a transaction it uses that transaction's connection.
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
 * As {@link rowsOf}, for the statements of which there are hundreds a second: PostgreSQL takes as long to plan one of
 * them as to run it. TypeORM can't name a statement, so this asks its connection. Errors are those of `pg`, not wrapped.
 */
export function rowsOfPrepared<Row>(
  manager: EntityManager,
  { name, text }: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  return onRunner(manager, async (runner) => {
    const client = (await runner.connect()) as PoolClient;
    const result = await client.query({ name, text, values });
    return result.rows as Row[];
  });
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
