import { getMetadataArgsStorage } from 'typeorm';

/**
 * SQL that inserts any number of an entity's rows: one text, so that it can be prepared. Its parameter is a JSON list
 * of rows, each with all properties of the entity but those with `insert: false`.
 */
export function insertSql<Entity extends object>(entity: new () => Entity): string {
  const storage = getMetadataArgsStorage();
  const table = storage.tables.find(({ target }) => target === entity)!.name;
  const columns = storage.filterColumns(entity).filter(({ options }) => options.insert !== false);
  const names = columns.map(({ propertyName, options: { name = propertyName } }) => `"${name}"`);
  const given = columns.map(({ propertyName }) => `"${propertyName}"`);
  const typed = columns.map(({ propertyName, options }) => `"${propertyName}" ${options.type as string}`);
  return `INSERT INTO "${table}" (${names.join(', ')})
    SELECT ${given.join(', ')} FROM json_to_recordset($1) AS given (${typed.join(', ')})`;
}
