import { BoundedBuffer } from './bounded-buffer.js';

describe('BoundedBuffer', () => {
  let dropped: string[];
  const buffer = (entries: number, bytes: number) =>
    new BoundedBuffer<string>(
      { entries, bytes },
      (entry) => entry.length,
      (entry) => dropped.push(entry),
    );
  const ALL = { entries: 1_000_000, bytes: 1_000_000 };
  beforeEach(() => (dropped = []));

  it('returns the oldest entries first, as many as fit', () => {
    const held = buffer(10, 100);
    for (const entry of ['aa', 'bb', 'cc', 'dd']) held.push(entry);
    expect(held.take({ entries: 1, bytes: 100 })).toEqual(['aa']);
    expect(held.take({ entries: 10, bytes: 5 })).toEqual(['bb', 'cc']);
    expect(held.take(ALL)).toEqual(['dd']);
    expect(held.take(ALL)).toEqual([]);
    expect([held.size, held.sizeInBytes, dropped.length]).toEqual([0, 0, 0]);
  });

  it('drops the oldest when there are too many', () => {
    const held = buffer(3, 100);
    for (const entry of ['1', '2', '3', '4', '5']) held.push(entry);
    expect(dropped).toEqual(['1', '2']);
    expect(held.take(ALL)).toEqual(['3', '4', '5']);
  });

  it('drops the oldest when they are too large, but never the newest', () => {
    const held = buffer(10, 6);
    for (const entry of ['aaa', 'bbb', 'c', 'dddddddddd']) held.push(entry);
    expect(dropped).toEqual(['aaa', 'bbb', 'c']);
    expect(held.take({ entries: 10, bytes: 6 })).toEqual(['dddddddddd']);
  });

  it('keeps the order over any number of entries', () => {
    const held = buffer(5_000, 1_000_000);
    const taken: string[] = [];
    for (let n = 0; n < 20_000; n += 1) {
      held.push(String(n));
      if (n % 3 === 0) taken.push(...held.take({ entries: 2, bytes: 1_000 }));
    }
    taken.push(...held.take(ALL));
    const numbers = [...taken, ...dropped].map(Number).sort((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, n) => n));
    expect(taken.map(Number)).toEqual([...taken.map(Number)].sort((one, other) => one - other));
  });
});
