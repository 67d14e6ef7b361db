import { readFile } from 'node:fs/promises';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { tableDiagram } from './table-diagram.js';

let database: TestDatabase;
let page: string;

beforeAll(async () => {
  database = await createTestDatabase();
  page = await readFile('docs/tables.md', 'utf8');
});

afterAll(() => database.drop());

describe('docs/tables.md', () => {
  it('shows the tables, primary keys and foreign keys of the migrated database, and no others', async () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    expect(shown).toBe(await tableDiagram(database));
  });

  it('says in one row for each table what it holds', async () => {
    const tables = [...(await tableDiagram(database)).matchAll(/^ {4}(\w+) \{$/gm)].map(([, name]) => name);
    const rows = [...page.matchAll(/^\| `(\w+)` *\| \S/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(tables.sort());
  });
});
