import { Page } from '../database/page.js';
import { assertKnownPosition, sequenceSource } from './sequence-source.js';

/** Numbers from `first` to `last`. @param atMost how many make a page too large */
function numbers(first: number, last: number, atMost = Infinity) {
  let reads = 0;
  const source = sequenceSource<number>({
    last: () => Promise.resolve(last),
    list: (after, upTo, limit) => {
      reads++;
      const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      return Promise.resolve(
        Page.of(
          all.filter((n) => n > after && n <= (upTo ?? last)),
          { limit: Math.min(limit, atMost) },
        ),
      );
    },
    numberOf: (row) => row,
    assertThere: () => Promise.resolve(),
  });
  return { source, reads: () => reads };
}

describe('A sequence source', () => {
  it('reads the rows between two positions', async () => {
    const { source } = numbers(1, 9);
    expect(await source.latest()).toBe('9');
    expect(await source.read('6', null)).toEqual({
      items: [7, 8, 9].map((row) => ({ row, position: String(row) })),
      end: '9',
      hasMore: false,
    });
    expect((await source.read('6', '8')).end).toBe('8');
    expect(await source.read('9', null)).toEqual({ items: [], end: '9', hasMore: false });
  });

  it('reads in pages', async () => {
    const { source } = numbers(1, 450);
    const first = await source.read('0', '450');
    expect([first.items.length, first.end, first.hasMore]).toEqual([200, '200', true]);
    expect((await source.read('400', '450')).hasMore).toBe(false);
  });

  it('continues after the last row of a page that was cut by size', async () => {
    const { source } = numbers(1, 9, 2);
    expect(await source.read('3', '9')).toMatchObject({ end: '5', hasMore: true });
    expect(await source.read('7', '9')).toMatchObject({ end: '9', hasMore: false });
  });

  it('continues after rows that were deleted', async () => {
    const { source } = numbers(50, 60);
    expect((await source.read('3', '40')).end).toBe('40');
    expect((await source.read('3', null)).items[0]?.row).toBe(50);
  });

  it('reads nothing when no new row can exist', async () => {
    const { source, reads } = numbers(1, 9);
    expect((await source.read('9', '9')).end).toBe('9');
    expect((await source.read('12', '9')).end).toBe('12');
    expect(reads()).toBe(0);
  });
});

describe('A position in a sequence', () => {
  it.each(['0', '7', '9'])('may be %s', (text) => {
    expect(() => assertKnownPosition(text, 9)).not.toThrow();
  });

  it.each(['', 'x', '-1', '1.5', '1e1', ' 1', '10', '99999999999999999999'])(
    'is refused when it is %j',
    (text) => {
      expect(() => assertKnownPosition(text, 9)).toThrow('Last-Event-ID');
    },
  );
});
