import { glob, readFile } from 'node:fs/promises';
import { readTable } from '../../guide/tables.mjs';

const { rows: lines } = readTable(await readFile('docs/glossary.tsv', 'utf8'));
const rows = lines.map((line) => ({
  term: line['term']!,
  meaning: line['meaning']!,
  names: [...line['names in code, SQL and JSON']!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
}));

async function textsOf(patterns: string[]): Promise<string[]> {
  const texts: string[] = [];
  for await (const path of glob(patterns)) texts.push(await readFile(path, 'utf8'));
  return texts;
}

const sources = (await textsOf(['src/**/*.ts', 'packages/*/src/**/*.ts'])).join('\n');
const entities = await textsOf(['src/**/*.entity.ts']);
const document = await readFile('openapi.json', 'utf8');

function isWordOf(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text);
}

/** @param name of a table, or `table.column` */
function isInSchema(name: string): boolean {
  const [table, column] = name.split('.');
  const entity = entities.find((text) => text.includes(`@Entity('${table}')`));
  if (column === undefined) return entity !== undefined;
  return new RegExp(`name: '${column}'|^  ${column}:`, 'm').test(entity ?? '');
}

describe('docs/glossary.tsv', () => {
  it('has at least forty terms, each once and in alphabetical order', () => {
    const terms = rows.map(({ term }) => term.toLowerCase());
    expect(terms.length).toBeGreaterThanOrEqual(40);
    expect(terms).toEqual([...new Set(terms)].sort());
  });

  it.each(rows)('explains $term in one sentence', ({ meaning }) => {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  it.each(rows)('names code, SQL and JSON that exist for $term', ({ names }) => {
    for (const name of names) {
      const exists = isInSchema(name) || isWordOf(document, name);
      // a name with a dot is a column or an event
      expect([name, exists || (!name.includes('.') && isWordOf(sources, name))]).toEqual([name, true]);
    }
  });
});
