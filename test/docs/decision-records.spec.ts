import { readdir, readFile } from 'node:fs/promises';

const FOLDER = 'docs/decisions';
const SECTIONS = ['Context', 'Alternatives', 'Decision', 'Consequences'];
const PAGES = ['README.md', 'superseded.md'];

const names = (await readdir(FOLDER)).filter((name) => !PAGES.includes(name)).sort();
const records = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(`${FOLDER}/${name}`, 'utf8') })),
);
const [index, superseded] = await Promise.all(PAGES.map((name) => readFile(`${FOLDER}/${name}`, 'utf8')));

/** Lines of a list in a page. */
function itemsOf(page: string): string[] {
  return [...page.matchAll(/^- (.+)$/gm)].map(([, item]) => item!);
}

/** Number at the beginning of a superseded decision's line, and the number of its replacement. */
function replacementOf(line: string): [number, number] {
  const [, number, successor] = /^(\d{4}) \(\d{4}-\d\d-\d\d\) .+?: \[?(\d{4})/.exec(line) ?? [];
  return [Number(number), Number(successor)];
}

const numbers = names.map((name) => Number(name.slice(0, 4)));
const replacements = itemsOf(superseded!).map(replacementOf);

describe('docs/decisions', () => {
  it.each(records)(
    'holds a record with a number, a date, a status and four sections: $name',
    ({ name, text }) => {
      expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
      expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)}\\. `));
      expect(text).toMatch(/^- Date: \d{4}-\d{2}-\d{2}/m);
      expect(text).toMatch(/^- Status: accepted$/m);
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(SECTIONS);
    },
  );

  it('has a record or a line about its replacement for each number, once, without a gap', () => {
    const all = [...numbers, ...replacements.map(([number]) => number)].sort((a, b) => a - b);
    expect(all).toEqual(all.map((_, position) => position + 1));
  });

  it('names a later decision as the replacement of each superseded one', () => {
    for (const [number, successor] of replacements) {
      expect(successor).toBeGreaterThan(number);
    }
  });

  it('lists every record in its index, with the title of the record', () => {
    const expected = records.map(
      ({ name, text }) => `[${name.slice(0, 4)}](${name}) ${/^# \d{4}\. (.+)$/m.exec(text)?.[1]}`,
    );
    expect(itemsOf(index!)).toEqual(expected);
  });
});
