import { stripVTControlCharacters } from 'node:util';
import { type Column, tableLines } from './table.js';

interface Thing {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly note: string | null;
}

const columns: Column<Thing>[] = [
  { title: 'ID', value: ({ id }) => id, fit: 'id' },
  { title: 'NAME', value: ({ name }) => name, fit: 'name' },
  { title: 'STATE', value: ({ state }) => state, paint: (text) => `\u001b[32m${text}\u001b[39m` },
  { title: 'NOTE', value: ({ note }) => note, fit: 'detail' },
];
const rows: Thing[] = [
  { id: '0123456789', name: 'a name that is rather long', state: 'ready', note: null },
  { id: '9876543210', name: '東京', state: 'failed', note: null },
];

const bare = (line: string) => stripVTControlCharacters(line);

describe('A table', () => {
  it('is complete without a terminal', () => {
    expect(tableLines(rows, columns, undefined).map(bare)).toEqual([
      'ID          NAME                        STATE   NOTE',
      '0123456789  a name that is rather long  ready',
      '9876543210  東京                        failed',
    ]);
  });

  it('fits a terminal with shortened ids, then shortened names, and without empty columns', () => {
    expect(tableLines(rows, columns, 30).map(bare)).toEqual([
      'ID        NAME          STATE',
      '01234567  a name that…  ready',
      '98765432  東京          failed',
    ]);
  });

  it('keeps complete names while details can be shortened, and unique ids', () => {
    const alike = ['0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d', '0192f0c1-7a3f-7cc1-9d57-0f4c5c1a2b3d'];
    const long = rows.map((row, at) => ({ ...row, id: alike[at]!, note: 'n'.repeat(100) }));
    const [, first, second] = tableLines(long, columns, 80).map(bare);
    expect(first).toMatch(/^0192f0c1-7a3e {2}a name that is rather long {2}ready {3}n+…$/);
    expect(second).toMatch(/^0192f0c1-7a3f {2}東京 +failed {2}n+…$/);
    expect(tableLines(long, columns, 200).map(bare)[1]).toContain(alike[0]);
  });

  it('keeps a complete status while another column can be shortened', () => {
    const status = columns.map((column) =>
      column.title === 'STATE' ? { ...column, fit: 'status' as const } : column,
    );
    const busy = [{ ...rows[0]!, name: 'n'.repeat(60), state: 'progressing' }];
    expect(bare(tableLines(busy, status, 30)[1]!)).toMatch(/ progressing$/);
  });

  it('leaves out the column of a number that has no room, and never prints a part of it', () => {
    const counted: Column<Thing>[] = [
      ...columns,
      { title: 'TOKENS', value: () => '1,234,567' },
      { title: 'CALLS', value: () => '1,001' },
    ];
    for (let width = 30; width < 80; width++) {
      const [heads, line] = tableLines(rows, counted, width).map(bare);
      expect(heads!.split(/ +/).filter((title) => !counted.some((column) => column.title === title))).toEqual(
        [],
      );
      expect(line).not.toMatch(/\d…/);
    }
    expect(tableLines(rows, counted, 46).map(bare)).toEqual([
      'ID        NAME               STATE   TOKENS',
      '01234567  a name that is r…  ready   1,234,567',
      '98765432  東京               failed  1,234,567',
    ]);
  });

  it('leaves out a detail that is cut before a number, and uses its room', () => {
    const noted = rows.map((row) => ({ ...row, name: 'reader', note: 'n'.repeat(40) }));
    const counted: Column<Thing>[] = [...columns, { title: 'TOKENS', value: () => '1,234,567' }];
    expect(bare(tableLines(noted, counted, 40)[1]!)).toBe('01234567  reader  ready   1,234,567');
  });

  it.each([20, 25, 40, 80])('is never wider than %d columns', (width) => {
    const noted = rows.map((row) => ({ ...row, note: 'something that matters less than ids' }));
    for (const line of tableLines(noted, columns, Math.max(width, 30)).map(bare)) {
      expect(line.length).toBeLessThanOrEqual(Math.max(width, 30));
    }
  });

  it('prints each row on one line with any content', () => {
    const [, line] = tableLines([{ ...rows[0]!, name: 'two\nlines\u001b[2J' }], columns, undefined);
    expect(bare(line!)).toBe('0123456789  two\\nlines\\u001b[2J  ready');
  });
});
