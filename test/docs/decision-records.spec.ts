import { readdir, readFile } from 'node:fs/promises';

const FOLDER = 'docs/decisions';
const SECTIONS = ['Context', 'Alternatives', 'Decision', 'Consequences'];

const names = (await readdir(FOLDER)).filter((name) => name !== 'README.md').sort();
const records = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(`${FOLDER}/${name}`, 'utf8') })),
);
const index = await readFile(`${FOLDER}/README.md`, 'utf8');

/** The value of a line `- Key: value` at the beginning of a record. */
function valueOf(text: string, key: string): string {
  return new RegExp(`^- ${key}: (.+)$`, 'm').exec(text)?.[1] ?? '';
}

describe('docs/decisions', () => {
  it.each(records)(
    'holds a record with a number, a date, a status and four sections: $name',
    ({ name, text }) => {
      expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
      expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)}\\. `));
      expect(valueOf(text, 'Date')).toMatch(/^\d{4}-\d{2}-\d{2}/);
      expect(valueOf(text, 'Status')).toMatch(/^(accepted|superseded by \[\d{4}\]\(\d{4}-[a-z0-9-]+\.md\))$/);
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(SECTIONS);
    },
  );

  it('numbers its records from 1 without a gap', () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, position) => position + 1));
  });

  it('lists every record in its index, with the title, date and status of the record', () => {
    const rows = [...index.matchAll(/^\| (\[\d{4}\].*) \|$/gm)].map(([, row]) => row!.split(/ +\| +/));
    const expected = records.map(({ name, text }) => [
      `[${name.slice(0, 4)}](${name})`,
      /^# \d{4}\. (.+)$/m.exec(text)?.[1],
      valueOf(text, 'Date').slice(0, 10),
      valueOf(text, 'Status'),
    ]);
    expect(rows.map((row) => row.map((cell) => cell.trim()))).toEqual(expected);
  });
});
