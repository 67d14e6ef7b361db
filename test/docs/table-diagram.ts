import type { TestDatabase } from '../harness/test-database.js';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly keys: string[];
}

interface Reference {
  readonly from: string;
  readonly to: string;
  readonly columns: string;
  readonly nullable: boolean;
  readonly unique: boolean;
  readonly onDelete: string;
}

const TABLES = `table_.relnamespace = 'public'::regnamespace AND table_.relkind IN ('r', 'p')
  AND NOT table_.relispartition AND table_.relname NOT LIKE 'migrations%'`;

const COLUMNS = `SELECT table_.relname AS table, attname AS name, format_type(atttypid, NULL) AS type,
    array_agg(DISTINCT CASE contype WHEN 'p' THEN 'PK' ELSE 'FK' END ORDER BY CASE contype WHEN 'p' THEN 'PK' ELSE 'FK' END DESC) AS keys
  FROM pg_class AS table_
  JOIN pg_constraint AS key ON key.conrelid = table_.oid AND contype IN ('p', 'f')
  JOIN pg_attribute ON attrelid = table_.oid AND attnum = ANY (conkey)
  WHERE ${TABLES}
  GROUP BY table_.relname, attname, atttypid, attnum
  ORDER BY table_.relname, attnum`;

const REFERENCES = `SELECT table_.relname AS from, confrelid::regclass::text AS to,
    (SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS columns,
    EXISTS (SELECT FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey) AND NOT attnotnull) AS nullable,
    EXISTS (SELECT FROM pg_index WHERE indrelid = conrelid AND indisunique AND indpred IS NULL
      AND indkey::smallint[] <@ conkey) AS unique,
    CASE confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'r' THEN 'restrict' ELSE 'no action' END AS "onDelete"
  FROM pg_class AS table_ JOIN pg_constraint ON conrelid = table_.oid AND contype = 'f'
  WHERE ${TABLES}
  ORDER BY 2, 1, 3`;

/** The tables, primary keys and foreign keys of a migrated database as a Mermaid diagram, for `docs/tables.md`. */
export async function tableDiagram(database: TestDatabase): Promise<string> {
  const columns = await database.query<Column>(COLUMNS);
  const references = await database.query<Reference>(REFERENCES);
  const lines = [...Map.groupBy(columns, ({ table }) => table)].flatMap(([table, keys]) => [
    `    ${table} {`,
    ...keys.map(columnLine),
    '    }',
  ]);
  return ['erDiagram', ...references.map(referenceLine), ...lines].join('\n');
}

function referenceLine({ from, to, columns, nullable, unique, onDelete }: Reference): string {
  const arrow = `${nullable ? '|o' : '||'}--${unique ? 'o|' : 'o{'}`;
  return `    ${to} ${arrow} ${from} : "${columns}, on delete ${onDelete}"`;
}

function columnLine({ name, type, keys }: Column): string {
  return `        ${type.replaceAll(/\W+/g, '_')} ${name} ${keys.join(', ')}`;
}
