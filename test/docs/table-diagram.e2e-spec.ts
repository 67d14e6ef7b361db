import { glob, readFile } from 'node:fs/promises';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { tableDiagram, tableNames } from './table-diagram.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe('docs/diagrams/tables.mmd', () => {
  it('shows the foreign keys of the migrated database, and no others', async () => {
    const [, shown] =
      /^---\n.*\n---\n([\s\S]*)\n$/.exec(await readFile('docs/diagrams/tables.mmd', 'utf8')) ?? [];
    expect(shown).toBe(await tableDiagram(database));
  });
});

describe('The entities', () => {
  it('describe each table of the migrated database, except that of a library', async () => {
    const described = ['rate_limits'];
    for await (const path of glob('src/**/*.entity.ts')) {
      const source = await readFile(path, 'utf8');
      described.push(...[...source.matchAll(/ \*\/\n@Entity\('(\w+)'/g)].map(([, name]) => name!));
    }
    expect(described).toEqual(expect.arrayContaining(await tableNames(database)));
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
