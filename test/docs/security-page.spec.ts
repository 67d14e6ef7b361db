import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const page = await readFile('docs/security.md', 'utf8');
/** Files in backticks. A title in curly quotes after one is that of a test in it. */
const files = [
  ...new Set(
    [...page.matchAll(/`((?:test|src|scripts|packages)\/[\w./-]+\.\w+)`/g)].map(([, file]) => file!),
  ),
];
const proofs = [...page.matchAll(/`((?:test|src)\/[\w./-]+)`: “([^”]+)”/g)].map(([, file, title]) => ({
  file: file!,
  title: title!,
}));

describe('docs/security.md', () => {
  it.each(files)('names a file that there is: %s', (file) => {
    expect([file, existsSync(file)]).toEqual([file, true]);
  });

  it.each(proofs)('names a test that there is: $file, $title', async ({ file, title }) => {
    const source = await readFile(file, 'utf8');
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
  });

  it('answers every chapter, each point with a verdict and a reason', () => {
    const chapters = [...page.matchAll(/^### V(\d+): /gm)].map(([, number]) => Number(number));
    expect(chapters).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
    const answers = page.slice(page.indexOf('## Answers to OWASP'));
    const rows = answers.split('\n').filter((line) => /^\| \d/.test(line));
    expect(rows.length).toBeGreaterThan(100);
    for (const row of rows) expect(row).toMatch(/^\| [\d., to]+ +\| (met|partly|not met|n\/a) +\| \S.+ \|$/);
  });
});
