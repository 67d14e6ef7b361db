import { GroupCommit } from './group-commit.js';

describe('GroupCommit', () => {
  it('gathers what arrives while a group commits', async () => {
    const groups: number[][] = [];
    let finishFirst = () => {};
    const first = new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
    const writer = new GroupCommit<number, number>(async (items) => {
      groups.push([...items]);
      if (groups.length === 1) await first;
      return items.map((item) => item * 10);
    });
    const results = [1, 2, 3].map((item) => writer.submit(item));
    finishFirst();
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('lets a refused item fail alone', async () => {
    const writer = new GroupCommit<number, number>((items) =>
      items.includes(13) ? Promise.reject(new Error('refused')) : Promise.resolve(items),
    );
    const results = await Promise.allSettled([1, 2, 13, 4, 5].map((item) => writer.submit(item)));
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  it('does not try one by one when the database is away', async () => {
    let commits = 0;
    const writer = new GroupCommit<number, number>(() => {
      commits++;
      return Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => writer.submit(item)));
    expect(results.every((result) => result.status === 'rejected')).toBe(true);
    expect(commits).toBe(2);
  });

  it('keeps groups within their bound', async () => {
    const sizes: number[] = [];
    const writer = new GroupCommit<number, number>((items) => {
      sizes.push(items.length);
      return Promise.resolve(items);
    }, 4);
    await Promise.all(Array.from({ length: 10 }, (_, item) => writer.submit(item)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(10);
  });
});
