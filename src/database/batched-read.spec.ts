import { BatchedRead } from './batched-read.js';

describe('BatchedRead', () => {
  it('reads with one statement all keys that are requested in one turn or during a read', async () => {
    const batches: (readonly number[])[] = [];
    const read = Promise.withResolvers<void>();
    const doubles = new BatchedRead<number, number>('doubles', async (keys) => {
      batches.push(keys);
      await read.promise;
      return keys.map((key) => 2 * key);
    });
    const first = [doubles.read(1), doubles.read(2)];
    await new Promise(setImmediate);
    const later = [doubles.read(3), doubles.read(1)];
    await new Promise(setImmediate);
    expect(batches).toEqual([[1, 2]]);
    read.resolve();
    expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 2]);
    expect(batches).toEqual([
      [1, 2],
      [3, 1],
    ]);
  });
});
