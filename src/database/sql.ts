import type { EntityManager } from 'typeorm';

/**
 * Runs one statement and returns its rows, whatever its kind (TypeORM's own `query` answers an UPDATE with a
 * pair). Inside a transaction it uses that transaction's connection.
 */
export async function rowsOf<Row>(
  manager: EntityManager,
  statement: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  if (manager.queryRunner) return queryRows(manager.queryRunner, statement, parameters);
  const runner = manager.dataSource.createQueryRunner();
  try {
    return await queryRows(runner, statement, parameters);
  } finally {
    await runner.release();
  }
}

async function queryRows<Row>(
  runner: NonNullable<EntityManager['queryRunner']>,
  statement: string,
  parameters: unknown[],
): Promise<Row[]> {
  const result = await runner.query(statement, parameters, true);
  return result.records as Row[];
}
