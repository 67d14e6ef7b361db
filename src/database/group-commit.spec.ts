import { jest } from '@jest/globals';
import { GroupCommit, ONCE_A_SECOND } from './group-commit.js';

const error = (code: string) => Object.assign(new Error(code), { code });

function recordingWriter(pace?: typeof ONCE_A_SECOND) {
  const groups: number[][] = [];
  const writer = new GroupCommit<number, number>(
    'numbers',
    (items) => {
      groups.push([...items]);
      return Promise.resolve(items);
    },
    { pace },
  );
  return { writer, groups };
}

describe('GroupCommit', () => {
  it('commits all items of one turn of the event loop together', async () => {
    const groups: number[][] = [];
    const writer = new GroupCommit<number, number>('numbers', (items) => {
      groups.push([...items]);
      return Promise.resolve(items.map((item) => item * 10));
    });
    expect(await Promise.all([1, 2, 3].map((item) => writer.submit(item)))).toEqual([10, 20, 30]);
    expect(groups).toEqual([[1, 2, 3]]);
  });

  it('gathers the items that arrive during a commit', async () => {
    const groups: number[][] = [];
    let finishFirst = () => {};
    const first = new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const writer = new GroupCommit<number, number>('numbers', async (items) => {
      groups.push([...items]);
      begin();
      if (groups.length === 1) await first;
      return items.map((item) => item * 10);
    });
    const results = [writer.submit(1)];
    await begun;
    results.push(writer.submit(2));
    await new Promise((resolve) => setImmediate(resolve));
    results.push(writer.submit(3));
    finishFirst();
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  describe('for calls in quick succession', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));

    it('begins the second group twenty milliseconds after the first, with all items that arrived until then', async () => {
      const { writer, groups } = recordingWriter();
      await writer.submit(1);
      const results = [writer.submit(2)];
      jest.advanceTimersByTime(19);
      await turn();
      results.push(writer.submit(3));
      await turn();
      expect(groups).toEqual([[1]]);
      jest.advanceTimersByTime(1);
      expect(await Promise.all(results)).toEqual([2, 3]);
      expect(groups).toEqual([[1], [2, 3]]);
    });

    it('begins at once when a group is large and when the last group began long ago', async () => {
      const { writer, groups } = recordingWriter();
      await writer.submit(1);
      await Promise.all(Array.from({ length: 16 }, (_, item) => writer.submit(item)));
      jest.advanceTimersByTime(20);
      await writer.submit(2);
      expect(groups.map(({ length }) => length)).toEqual([1, 16, 1]);
    });

    it('begins one group a second when no request waits for it', async () => {
      const { writer, groups } = recordingWriter(ONCE_A_SECOND);
      await writer.submit(1);
      const results = Array.from({ length: 20 }, (_, item) => writer.submit(item));
      jest.advanceTimersByTime(999);
      await turn();
      expect(groups).toHaveLength(1);
      jest.advanceTimersByTime(1);
      await Promise.all(results);
      expect(groups.map(({ length }) => length)).toEqual([1, 20]);
    });

    it('begins at once when it is finished, and commits every item that arrived by then', async () => {
      const { writer, groups } = recordingWriter(ONCE_A_SECOND);
      const results = [writer.submit(1)];
      await turn();
      results.push(writer.submit(2));
      await writer.finish();
      expect(groups).toEqual([[1], [2]]);
      expect(await Promise.all(results)).toEqual([1, 2]);
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  it('fails only the refused item of a group', async () => {
    const writer = new GroupCommit<number, number>('numbers', (items) =>
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

  it('does not commit one by one when the database is unreachable', async () => {
    let commits = 0;
    const writer = new GroupCommit<number, number>('numbers', () => {
      commits++;
      return Promise.reject(error('ECONNREFUSED'));
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => writer.submit(item)));
    expect(results.every((result) => result.status === 'rejected')).toBe(true);
    expect(commits).toBe(1);
  });

  it('repeats a group after a deadlock, a limited number of times', async () => {
    let losses = 2;
    let commits = 0;
    const writer = new GroupCommit<number, number>('numbers', (items) => {
      commits++;
      return losses-- > 0 ? Promise.reject(error('40P01')) : Promise.resolve(items);
    });
    expect(await Promise.all([1, 2].map((item) => writer.submit(item)))).toEqual([1, 2]);
    expect(commits).toBe(3);
    losses = Infinity;
    await expect(writer.submit(3)).rejects.toThrow('40P01');
    expect(commits).toBe(7);
  });

  it('keeps each group within its maximum size', async () => {
    const sizes: number[] = [];
    const writer = new GroupCommit<number, number>(
      'numbers',
      (items) => {
        sizes.push(items.length);
        return Promise.resolve(items);
      },
      { maximumItems: 4 },
    );
    await Promise.all(Array.from({ length: 10 }, (_, item) => writer.submit(item)));
    expect(sizes).toEqual([4, 4, 2]);
  });

  it('keeps each group within its maximum weight, and commits a heavier item alone', async () => {
    const groups: number[][] = [];
    const writer = new GroupCommit<number, number>(
      'numbers',
      (items) => {
        groups.push([...items]);
        return Promise.resolve(items);
      },
      { maximumWeight: 10, weightOf: (item) => item },
    );
    await Promise.all([4, 6, 1, 99, 98, 2, 3].map((item) => writer.submit(item)));
    expect(groups).toEqual([[4, 6], [1], [99], [98], [2, 3]]);
  });
});
