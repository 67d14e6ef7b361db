import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/**
 * Deletes the rows of a query, in one statement. DELETE has no ORDER BY, LIMIT or SKIP LOCKED, but the query has.
 *
 * @param query selects from the entity's table; its selection is replaced by the key
 * @returns the number of deleted rows
 */
export async function deleteFound<Entity extends ObjectLiteral>(
  connection: Connection,
  query: SelectQueryBuilder<Entity>,
): Promise<number> {
  const { tableName, primaryColumns } = query.expressionMap.mainAlias!.metadata;
  const [found, parameters] = query
    .select(primaryColumns.map(({ propertyName }) => `${query.alias}.${propertyName}`))
    .getQueryAndParameters();
  const key = primaryColumns.map(({ databaseName }) => `"${databaseName}"`).join(', ');
  // Each row is looked up by the array. PostgreSQL has no array of rows, so those with a key of several columns are joined.
  const rows =
    primaryColumns.length === 1 ? '= ANY (ARRAY(SELECT * FROM found))' : 'IN (SELECT * FROM found)';
  const [deleted] = await rowsOf<{ count: number }>(
    connection,
    `WITH found AS MATERIALIZED (${found}), deleted AS (DELETE FROM "${tableName}" WHERE (${key}) ${rows} RETURNING 1)
     SELECT count(*)::int AS count FROM deleted`,
    parameters,
  );
  return deleted!.count;
}

/** The expired rows of a table. */
interface Expiry {
  /** SQL for the time from which a row's age counts, by the alias `old`: `old.createdAt`. */
  readonly since: string;
  /** Minimum age in days, by the database's clock; absent: 0. */
  readonly days?: number;
  /** A further condition, by the same alias. A constant, so that PostgreSQL can use a partial index. */
  readonly where?: string;
}

/**
 * Deletes expired rows, oldest first. Rows that another transaction has locked are left for the next time.
 *
 * @returns the number of deleted rows, at most `limit`
 */
export function deleteOld<Entity extends ObjectLiteral>(
  connection: Connection,
  entity: new () => Entity,
  { since, days = 0, where }: Expiry,
  limit: number,
): Promise<number> {
  const oldest = connection
    .createQueryBuilder(entity, 'old')
    .where(`${since} < now() - make_interval(days => :days)`, { days })
    .orderBy(since)
    .limit(limit)
    .setLock('pessimistic_write')
    .setOnLocked('skip_locked');
  if (where !== undefined) oldest.andWhere(where);
  return deleteFound(connection, oldest);
}
