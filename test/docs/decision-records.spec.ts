import { readdir, readFile } from 'node:fs/promises';

const FOLDER = 'docs/decisions';
const SECTIONS = ['Context', 'Alternatives', 'Decision', 'Consequences'];
/** Line of a decision without a file: number, date, title, and the reason. */
const IN_A_LINE = /^\d{4} \(\d{4}-\d\d-\d\d\) [^:]+: .+\.$/;

const names = (await readdir(FOLDER)).filter((name) => name !== 'README.md').sort();
const records = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(`${FOLDER}/${name}`, 'utf8') })),
);
const index = await readFile(`${FOLDER}/README.md`, 'utf8');
const [held, superseded] = index.split('\n## Superseded\n').map(itemsOf);

/** Lines of the lists in a text. */
function itemsOf(text: string): string[] {
  return [...text.matchAll(/^- (.+)$/gm)].map(([, item]) => item!);
}

/** Number of a line, with or without a link. */
function numberOf(item: string): number {
  return Number(/^\[?(\d{4})\b/.exec(item)?.[1]);
}

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

  it('lists each number once, without a gap, and those that hold in order', () => {
    const numbers = held!.map(numberOf);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const all = [...numbers, ...superseded!.map(numberOf)].sort((a, b) => a - b);
    expect(all).toEqual(all.map((_, position) => position + 1));
  });

  it('links every record, with the title of the record', () => {
    const expected = records.map(
      ({ name, text }) => `[${name.slice(0, 4)}](${name}) ${/^# \d{4}\. (.+)$/m.exec(text)?.[1]}`,
    );
    expect(held!.filter((item) => item.startsWith('['))).toEqual(expected);
  });

  it('gives the date and the reason of each decision that has no record', () => {
    const lines = held!.filter((item) => !item.startsWith('['));
    expect(lines.filter((line) => !IN_A_LINE.test(line))).toEqual([]);
  });

  it('names a later decision as the replacement of each superseded one', () => {
    for (const line of superseded!) {
      expect(line).toMatch(IN_A_LINE);
      expect(Number(/: (\d{4})\b/.exec(line)?.[1])).toBeGreaterThan(numberOf(line));
    }
  });
});
