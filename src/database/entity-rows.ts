import {
  getMetadataArgsStorage,
  type InsertQueryBuilder,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import { rowsOf, withClock } from './sql.js';
import type { Connection } from './transaction.js';

type EntityClass<Entity> = new () => Entity;

/**
 * An entity's columns as SQL, each under the name of its property: `"is_active" AS "isActive"`. For rows that are not
 * hydrated, for `RETURNING` and for SQL by hand, so that no code outside the entity names columns.
 *
 * @param properties absent: all, except those that the entity declares with `select: false`
 * @param alias of the table, if the statement has one
 */
export function columnsOf<Entity extends object>(
  entity: EntityClass<Entity>,
  properties?: readonly (keyof Entity)[],
  alias?: string,
): string {
  return getMetadataArgsStorage()
    .filterColumns(entity)
    .filter(({ propertyName, options }) =>
      properties ? properties.includes(propertyName as keyof Entity) : options.select !== false,
    )
    .map(({ propertyName, options: { name = propertyName } }) => {
      const column = alias === undefined ? `"${name}"` : `"${alias}"."${name}"`;
      return name === propertyName ? column : `${column} AS "${propertyName}"`;
    })
    .join(', ');
}

/**
 * A query for an entity's rows as the driver returns them; end it with `getRawOne` or `getRawMany`. They have the
 * properties of hydrated ones, and a list of 50 takes less than half of the processor's time (1.1 ms against 2.7).
 *
 * @param alias for conditions on the entity: `agent.userId`
 * @param properties as in {@link columnsOf}
 */
export function selectRows<Entity extends ObjectLiteral>(
  connection: Connection,
  entity: EntityClass<Entity>,
  alias: string,
  properties?: readonly (keyof Entity)[],
): SelectQueryBuilder<Entity> {
  return connection.createQueryBuilder(entity, alias).select(columnsOf(entity, properties, alias));
}

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

/**
 * SQL that inserts any number of an entity's rows: one text, so that it can be prepared. Its parameter is a JSON list
 * of rows, each with all properties of the entity but those with `insert: false`.
 */
export function insertSql<Entity extends object>(entity: EntityClass<Entity>): string {
  const storage = getMetadataArgsStorage();
  const table = storage.tables.find(({ target }) => target === entity)!.name;
  const columns = storage.filterColumns(entity).filter(({ options }) => options.insert !== false);
  const names = columns.map(({ propertyName, options: { name = propertyName } }) => `"${name}"`);
  const given = columns.map(({ propertyName }) => `"${propertyName}"`);
  const typed = columns.map(({ propertyName, options }) => `"${propertyName}" ${options.type as string}`);
  return `INSERT INTO "${table}" (${names.join(', ')})
    SELECT ${given.join(', ')} FROM json_to_recordset($1) AS given (${typed.join(', ')})`;
}

/** Runs an UPDATE of TypeORM that names the time, see `withClock`, and returns the rows of its `RETURNING`. */
export function updatedByClock<Row>(
  connection: Connection,
  update: { getQueryAndParameters(): [string, unknown[]] },
): Promise<Row[]> {
  const [text, parameters] = update.getQueryAndParameters();
  return rowsOf<Row>(connection, withClock(text), parameters);
}

/**
 * Runs an INSERT of TypeORM, and returns its rows as a selection from the table shows them. A selection with subqueries is none for
 * `RETURNING`: decision 0103.
 */
export function insertedRows<Row, Entity extends ObjectLiteral>(
  connection: Connection,
  insert: InsertQueryBuilder<Entity>,
  selection: string,
): Promise<Row[]> {
  const table = insert.expressionMap.mainAlias!.metadata.tableName;
  const [text, parameters] = insert.returning('*').getQueryAndParameters();
  return rowsOf<Row>(
    connection,
    `WITH "${table}" AS (${text}) SELECT ${selection} FROM "${table}"`,
    parameters,
  );
}

/** Runs an INSERT, UPDATE or DELETE of TypeORM, and returns the rows of its `RETURNING`. */
export async function returnedRows<Row>(statement: { execute(): Promise<{ raw: unknown }> }): Promise<Row[]> {
  const { raw } = await statement.execute();
  return raw as Row[];
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
  entity: EntityClass<Entity>,
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
