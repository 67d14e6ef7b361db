import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { readTable } from '../guide/tables.mjs';
import { declares } from './docs/named-titles.js';

const { rows } = readTable(await readFile('docs/promises.tsv', 'utf8'));
const named = rows.map((row) => row['proofs']!).join('\n');
/** A file in backticks, a colon, and titles in curly quotes; `describe › it` if the latter alone says too little. */
const proofs = [...named.matchAll(/`((?:test|src)\/[\w./-]+)`: (“[^”]+”(?:, “[^”]+”)*)/g)].flatMap(
  ([, file, titles]) =>
    [...titles!.matchAll(/“([^”]+)”/g)].map(([, title]) => ({ file: file!, title: title! })),
);
const KILL_LIST = 15;

describe('docs/promises.tsv', () => {
  it.each(proofs)('names a test that exists: $file, $title', async ({ file, title }) => {
    expect([file, existsSync(file)]).toEqual([file, true]);
    const source = await readFile(file, 'utf8');
    for (const part of title.split(' › ')) expect([part, declares(source, part)]).toEqual([part, true]);
  });

  it('names a test for each item of the kill list, and for each promise', () => {
    const items = rows.filter(({ group }) => group === 'The kill list');
    expect(items.map(({ promise }) => Number.parseInt(promise!, 10))).toEqual(
      Array.from({ length: KILL_LIST }, (_, index) => index + 1),
    );
    expect(rows.length).toBeGreaterThan(70);
    for (const row of rows) expect(row['proofs']).toMatch(/^`test\/[^`]+`: “/);
  });

  it('names every file in test/faults that concerns stored data', async () => {
    // The others are about starting PostgreSQL and the service.
    const others = /^(embedded-postgres|start|ending)/;
    const files = (await readdir('test/faults')).filter((name) => name.endsWith('.e2e-spec.ts'));
    for (const file of files.filter((name) => !others.test(name)))
      expect(named).toContain(`test/faults/${file}`);
  });
});
