import { Turns } from './turns.js';

describe('Turns', () => {
  it('runs so many at once, in the order they came, and goes on after a failure', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const results = [0, 1, 2, 3].map((number) =>
      turns.run(
        () =>
          new Promise<number>((resolve, reject) => {
            begun.push(number);
            ends.push(() => (number === 0 ? reject(new Error('failed')) : resolve(number)));
          }),
      ),
    );
    const settled = Promise.allSettled(results);
    expect(begun).toEqual([0, 1]);
    expect(turns.waitingCount).toBe(2);

    ends[0]?.();
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1, 2]);

    ends[1]?.();
    ends[2]?.();
    await new Promise(setImmediate);
    ends[3]?.();
    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    await expect(turns.run(() => Promise.resolve('free again'))).resolves.toBe('free again');
  });
});
