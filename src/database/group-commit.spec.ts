import { jest } from '@jest/globals';
import { isDatabaseUnavailable } from './database-errors.js';
import { GroupCommit, type GroupOptions } from './group-commit.js';

const error = (code: string) => Object.assign(new Error(code), { code });

function recordingWriter(options?: GroupOptions<number>) {
  const groups: number[][] = [];
  const writer = new GroupCommit<number, number>(
    'numbers',
    (items) => {
      groups.push([...items]);
      return Promise.resolve(items);
    },
    options,
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

    it('begins at once when few items of a group are heavy', async () => {
      const { writer, groups } = recordingWriter({ weightOf: (item) => item });
      await writer.submit(1);
      const results = [writer.submit(1_024)];
      await turn();
      expect(groups).toEqual([[1]]);
      results.push(writer.submit(64 * 1_024));
      await Promise.all(results);
      expect(groups).toEqual([[1], [1_024, 64 * 1_024]]);
    });

    it('begins at its own pace when it has one', async () => {
      const { writer, groups } = recordingWriter({ paceMs: 1_000 });
      await writer.submit(1);
      const results = Array.from({ length: 15 }, (_, item) => writer.submit(item));
      jest.advanceTimersByTime(999);
      await turn();
      expect(groups).toHaveLength(1);
      jest.advanceTimersByTime(1);
      await Promise.all(results);
      expect(groups.map(({ length }) => length)).toEqual([1, 15]);
    });

    it('begins at once when it is finished, and commits every item that arrived by then', async () => {
      const { writer, groups } = recordingWriter({ paceMs: 1_000 });
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
    const { writer, groups } = recordingWriter({ items: 4 });
    await Promise.all(Array.from({ length: 10 }, (_, item) => writer.submit(item)));
    expect(groups.map(({ length }) => length)).toEqual([4, 4, 2]);
  });

  it('keeps each group within its maximum weight, and commits a heavier item by itself', async () => {
    const { writer, groups } = recordingWriter({ weight: 10, weightOf: (item) => item });
    await Promise.all([4, 6, 1, 99, 98, 2, 3].map((item) => writer.submit(item)));
    expect(groups).toEqual([[4, 6], [1], [99], [98], [2, 3]]);
  });

  it('has 500 items and 1 MiB in a group at most when nothing else is said', async () => {
    const many = recordingWriter();
    await Promise.all(Array.from({ length: 501 }, (_, item) => many.writer.submit(item)));
    expect(many.groups.map(({ length }) => length)).toEqual([500, 1]);
    const heavy = recordingWriter({ weightOf: () => 1024 * 512 });
    await Promise.all([1, 2, 3].map((item) => heavy.writer.submit(item)));
    expect(heavy.groups).toEqual([[1, 2], [3]]);
  });

  describe('refuses as unavailable what comes when', () => {
    const refused = (results: readonly PromiseSettledResult<number>[]) =>
      results.map((result) => (result.status === 'rejected' ? isDatabaseUnavailable(result.reason) : 'done'));
    const submitAll = (writer: GroupCommit<number, number>, items: readonly number[]) =>
      Promise.allSettled(items.map((item) => writer.submit(item)));

    it('as many items wait as may', async () => {
      const { writer, groups } = recordingWriter({ waitingItems: 2 });
      expect(refused(await submitAll(writer, [1, 2, 3]))).toEqual(['done', 'done', true]);
      expect(refused(await submitAll(writer, [4, 5]))).toEqual(['done', 'done']);
      expect(groups).toEqual([
        [1, 2],
        [4, 5],
      ]);
    });

    it('its weight does not fit with the waiting items', async () => {
      const { writer, groups } = recordingWriter({ waitingWeight: 10, weightOf: (item) => item });
      expect(refused(await submitAll(writer, [6, 5, 4, 1]))).toEqual(['done', true, 'done', true]);
      // An item heavier than the limit is taken when no other waits, since it would otherwise be refused for ever.
      expect(refused(await submitAll(writer, [11, 1]))).toEqual(['done', true]);
      expect(groups).toEqual([[6, 4], [11]]);
    });

    it('4,000 items or 64 MiB wait and nothing else is said', async () => {
      const { writer } = recordingWriter();
      const many = await submitAll(
        writer,
        Array.from({ length: 4_001 }, (_, item) => item),
      );
      expect(many.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([4_000]);
      const heavy = recordingWriter({ weightOf: () => 32 * 1024 * 1024 });
      expect(refused(await submitAll(heavy.writer, [1, 2, 3]))).toEqual(['done', 'done', true]);
    });
  });
});
