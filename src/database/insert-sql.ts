import { getMetadataArgsStorage } from 'typeorm';

/**
 * SQL that inserts any number of an entity's rows: one text, so that it can be prepared. Its parameter is a JSON list
 * of rows; an absent property is null.
 *
 * @param properties absent: all, except those with `insert: false`
 * @param values SQL for the properties that are not stored as they are given
 */
export function insertSql<Entity extends object>(
  entity: new () => Entity,
  properties?: readonly (keyof Entity)[],
  values: { readonly [Property in keyof Entity]?: string } = {},
): string {
  const storage = getMetadataArgsStorage();
  const table = storage.tables.find(({ target }) => target === entity)!.name;
  const columns = storage
    .filterColumns(entity)
    .filter(({ propertyName, options }) =>
      properties ? properties.includes(propertyName as keyof Entity) : options.insert !== false,
    );
  const names = columns.map(({ propertyName, options: { name = propertyName } }) => `"${name}"`);
  const given = columns.map(
    ({ propertyName }) => values[propertyName as keyof Entity] ?? `"${propertyName}"`,
  );
  const typed = columns.map(({ propertyName, options }) => `"${propertyName}" ${options.type as string}`);
  return `INSERT INTO "${table}" (${names.join(', ')})
    SELECT ${given.join(', ')} FROM json_to_recordset($1) AS given (${typed.join(', ')})`;
}
