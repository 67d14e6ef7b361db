import { keptRows } from './kept-rows.js';

const row = (id: string, state = 'pending') => ({ id, state });

describe('keptRows', () => {
  it('returns the same array if nothing is new', () => {
    const rows = [row('a'), row('b')];
    expect(keptRows(rows, [...rows])).toBe(rows);
    expect(keptRows(rows, [rows[1]!])).toBe(rows);
  });

  it('keeps the rows of removed items in place, and adds new ones at the end', () => {
    const [a, b, c, d] = [row('a'), row('b'), row('c'), row('d')];
    expect(keptRows([a, b, c], [a, c, d])).toEqual([a, b, c, d]);
  });

  it('takes the newest version of a row', () => {
    const decided = row('a', 'approved');
    expect(keptRows([row('a'), row('b')], [decided])).toEqual([decided, row('b')]);
  });
});
