import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import DOMPurify from 'dompurify';
import mermaid from 'mermaid';

// Mermaid sanitizes labels while it parses them. Its sanitizer needs a browser, and nothing is displayed here.
DOMPurify.addHook ??= () => undefined;
DOMPurify.sanitize ??= (label) => label;

const root = fileURLToPath(new URL('../..', import.meta.url));
const FEWEST = 7;

const diagrams = [];
for await (const path of glob(['*.md', 'docs/**/*.md', 'packages/*/*.md'], { cwd: root })) {
  const page = await readFile(`${root}/${path}`, 'utf8');
  for (const [, text] of page.matchAll(/^```mermaid\n([\s\S]*?)^```/gm)) {
    const line = page.slice(0, page.indexOf(text)).split('\n').length;
    diagrams.push({ place: `${path}:${line}`, text });
  }
}
for await (const place of glob('docs/diagrams/*.mmd', { cwd: root })) {
  diagrams.push({ place, text: await readFile(`${root}/${place}`, 'utf8') });
}

for (const { place, text } of diagrams) {
  test(`Mermaid accepts the diagram of ${place}`, async () => {
    assert.ok(await mermaid.parse(text));
  });
}

test('Mermaid refuses a diagram with a mistake', async () => {
  await assert.rejects(mermaid.parse('erDiagram\n  users ||--'));
});

test(`the documentation has at least ${FEWEST} diagrams`, () => {
  assert.ok(diagrams.length >= FEWEST, `found ${diagrams.length}`);
});
