import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pagesOf, readTable } from '../../guide/tables.mjs';

const PAGES = [
  '*.md',
  'docs/**/*.md',
  'examples/**/*.md',
  'packages/*/*.md',
  'deploy/**/*.md',
  'bench/**/*.md',
];
const IGNORED = ['**/node_modules/**'];

interface Link {
  readonly page: string;
  readonly target: string;
}

const links: Link[] = [];
for await (const page of glob(PAGES, { exclude: IGNORED })) {
  const text = (await readFile(page, 'utf8')).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (!/^[a-z]+:/.test(target!)) links.push({ page, target: target! });
  }
}

for await (const page of glob('docs/*.tsv')) {
  const { rows } = readTable(await readFile(page, 'utf8'));
  for (const target of new Set(rows.flatMap(pagesOf))) links.push({ page, target });
}

/** The anchors of a page's headings, as GitHub makes them. */
async function anchorsOf(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

describe('A link in the documentation', () => {
  it.each(links)('leads to a file and a heading that exist: $page, $target', async ({ page, target }) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), path));
    expect([file, existsSync(file)]).toEqual([file, true]);
    if (anchor !== undefined && file.endsWith('.md')) expect(await anchorsOf(file)).toContain(anchor);
  });
});
