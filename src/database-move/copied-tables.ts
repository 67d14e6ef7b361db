import { pipeline } from 'node:stream/promises';
import type { Client, QueryResultRow } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** A table as it was copied. */
export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
}

/** Numbers of transactions count in one cluster only, and the rows are written by the transaction of the copy. */
const OF_THIS_CLUSTER = 'transaction_id';

/** All tables but partitions, whose rows are copied through their parents. */
const TABLES = `SELECT quote_ident(relname) AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname <> 'migrations'
  ORDER BY relname`;

const COLUMNS = `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attname) AS list FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    AND attname <> '${OF_THIS_CLUSTER}'`;

const PARTITIONS = `SELECT quote_ident(child.relname) AS name, inhparent::regclass::text AS parent,
    pg_get_expr(child.relpartbound, child.oid) AS bound, array_to_string(child.reloptions, ', ') AS options
  FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
  WHERE child.relispartition AND child.relkind = 'r' AND child.relnamespace = current_schema()::regnamespace
  ORDER BY 1`;

const FOREIGN_KEYS = `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint
  WHERE contype = 'f' AND conparentid = 0 AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`;

const SEQUENCES = `SELECT quote_ident(relname) AS name FROM pg_class
  WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace ORDER BY 1`;

/** Keeps everybody else from the tables until the end of the transaction: a service that is started meanwhile waits, and finds the copy. */
export async function lockTables(target: Client): Promise<void> {
  for (const { name } of await rowsOf<{ name: string }>(target, TABLES))
    await target.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
}

/**
 * Copies the rows of all tables, and the positions of sequences. Both databases have the same schema. Nothing of it is there if it
 * fails. Foreign keys are made again after the rows, as `pg_restore` does it, because tables refer to each other in circles and
 * only a superuser may switch their checks off.
 *
 * @param source in a transaction, so that all tables are read as of one moment
 * @param target in a transaction, which has locked the tables and which the caller commits
 * @param copied is called after each table
 * @throws Error if the number of rows differs
 */
export async function copyTables(
  source: Client,
  target: Client,
  copied: (table: CopiedTable) => void,
): Promise<void> {
  const tables = await rowsOf<{ name: string }>(source, TABLES);
  await addPartitions(source, target);
  const keys = await rowsOf<{ table: string; name: string; definition: string }>(target, FOREIGN_KEYS);
  for (const { table, name } of keys) await target.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const { name } of tables) copied({ name, rows: await copyTable(source, target, name) });
  for (const { table, name, definition } of keys)
    await target.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  await copySequences(source, target);
}

/** Without the triggers of the audit log, which refuse that its rows are deleted. */
async function copyTable(source: Client, target: Client, name: string): Promise<number> {
  const [columns] = await rowsOf<{ list: string }>(source, COLUMNS, [name]);
  const { list } = columns!;
  await target.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  // what the migrations have written
  await target.query(`DELETE FROM ${name}`);
  await pipeline(
    source.query(copyTo(`COPY (SELECT ${list} FROM ${name}) TO STDOUT`)),
    target.query(copyFrom(`COPY ${name} (${list}) FROM STDIN`)),
  );
  await target.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  const [there, here] = [await countOf(source, name), await countOf(target, name)];
  if (there !== here)
    throw new Error(`${name} has ${there} rows in the embedded database, and ${here} in the new one`);
  return here;
}

async function countOf(client: Client, table: string): Promise<number> {
  const [row] = await rowsOf<{ count: string }>(client, `SELECT count(*) FROM ${table}`);
  return Number(row!.count);
}

/** A day's partition is dropped as a whole when it is old; in the default partition its rows would be deleted one by one. */
async function addPartitions(source: Client, target: Client): Promise<void> {
  const there = await rowsOf<{ name: string }>(target, PARTITIONS);
  const existing = new Set(there.map(({ name }) => name));
  const partitions = await rowsOf<{ name: string; parent: string; bound: string; options: string | null }>(
    source,
    PARTITIONS,
  );
  for (const { name, parent, bound, options } of partitions) {
    if (existing.has(name)) continue;
    await target.query(
      `CREATE TABLE ${name} PARTITION OF ${parent} ${bound}${options ? ` WITH (${options})` : ''}`,
    );
  }
}

async function copySequences(source: Client, target: Client): Promise<void> {
  for (const { name } of await rowsOf<{ name: string }>(source, SEQUENCES)) {
    const [state] = await rowsOf<{ last_value: string; is_called: boolean }>(
      source,
      `SELECT last_value, is_called FROM ${name}`,
    );
    await target.query('SELECT setval($1::regclass, $2, $3)', [name, state!.last_value, state!.is_called]);
  }
}

async function rowsOf<Row extends QueryResultRow>(
  client: Client,
  statement: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row>(statement, parameters)).rows;
}
