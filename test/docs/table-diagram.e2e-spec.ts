import { readFile } from 'node:fs/promises';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { tableDiagram, tableNames } from './table-diagram.js';

let database: TestDatabase;
let page: string;

beforeAll(async () => {
  database = await createTestDatabase();
  page = await readFile('docs/tables.md', 'utf8');
});

afterAll(() => database.drop());

describe('docs/tables.md', () => {
  it('shows the foreign keys of the migrated database, and no others', async () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    expect(shown).toBe(await tableDiagram(database));
  });

  it('describes each table in one line', async () => {
    const rows = [...page.matchAll(/^- `(\w+)`: \S/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual((await tableNames(database)).sort());
  });
});

/** Tables that grow with the number of agents, and have no event in an owner's sequence. */
const SPREAD_BY_AGENT = ['agent_logs', 'agent_metrics', 'telemetry_batches', 'agent_presence'];

describe('The tables of the calls of agents', () => {
  it('can be distributed by agent, because each unique index contains the agent', async () => {
    const indexes = await database.query<{ table: string; columns: string[] }>(
      `SELECT class.relname AS table, array_agg(attribute.attname::text) AS columns
       FROM pg_index AS index
       JOIN pg_class AS class ON class.oid = index.indrelid
       JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = ANY (index.indkey)
       WHERE index.indisunique AND class.relname = ANY ($1)
       GROUP BY class.relname, index.indexrelid`,
      [SPREAD_BY_AGENT],
    );
    expect(indexes.map(({ table }) => table).sort()).toEqual([...SPREAD_BY_AGENT].sort());
    for (const { columns } of indexes) expect(columns).toContain('agent_id');
  });
});
