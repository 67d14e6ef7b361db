import type { TestDatabase } from '../harness/test-database.js';

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

const REFERENCES = `SELECT table_.relname AS from, confrelid::regclass::text AS to,
    (SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS columns,
    EXISTS (SELECT FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey) AND NOT attnotnull) AS nullable,
    EXISTS (SELECT FROM pg_index WHERE indrelid = conrelid AND indisunique AND indpred IS NULL
      AND indkey::smallint[] <@ conkey) AS unique,
    CASE confdeltype WHEN 'c' THEN '' WHEN 'n' THEN ', set null' WHEN 'r' THEN ', restrict' ELSE ', no action' END AS "onDelete"
  FROM pg_class AS table_ JOIN pg_constraint ON conrelid = table_.oid AND contype = 'f'
  WHERE ${TABLES}
  ORDER BY 2, 1, 3`;

/** The foreign keys of a migrated database as a Mermaid diagram, for `docs/diagrams/tables.mmd`. */
export async function tableDiagram(database: TestDatabase): Promise<string> {
  const references = await database.query<Reference>(REFERENCES);
  return ['erDiagram', ...references.map(referenceLine)].join('\n');
}

/** The names of the tables of a migrated database. */
export async function tableNames(database: TestDatabase): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT table_.relname AS name FROM pg_class AS table_ WHERE ${TABLES}`,
  );
  return tables.map(({ name }) => name);
}

function referenceLine({ from, to, columns, nullable, unique, onDelete }: Reference): string {
  const arrow = `${nullable ? '|o' : '||'}--${unique ? 'o|' : 'o{'}`;
  return `    ${to} ${arrow} ${from} : "${columns}${onDelete}"`;
}
