import { NotFoundError } from '../errors/domain-error.js';
import { sequenceSource } from './sequence-source.js';
import type { Viewer } from './viewer.js';
import { Watches } from './watches.js';

/** A growing sequence of numbers, and what is asked of it. */
class Counter {
  last = 0;
  isGone = false;
  failure: Error | undefined;
  readonly reads: [from: string, until: string | null][] = [];
  readonly errors: unknown[] = [];
  private held: Promise<void> | undefined;
  readonly watches = new Watches<number>(
    () => {
      const source = sequenceSource<number>({
        last: () => this.answer(this.last),
        list: (after, upTo, limit) => {
          const end = Math.min(upTo ?? this.last, after + limit);
          return this.answer(
            Array.from({ length: Math.max(end - after, 0) }, (_, index) => after + index + 1),
          );
        },
        numberOf: (row) => row,
        assertThere: () => this.answer(undefined),
      });
      return {
        ...source,
        read: (from, until) => {
          this.reads.push([from, until]);
          return source.read(from, until);
        },
      };
    },
    (error) => this.errors.push(error),
  );

  grow(by: number): void {
    this.last += by;
    this.watches.wake('it');
  }

  /** Nothing is answered until the returned function is called. */
  hold(): () => void {
    let release = () => {};
    this.held = new Promise((resolve) => (release = resolve));
    return release;
  }

  private async answer<T>(value: T): Promise<T> {
    await this.held;
    if (this.isGone) throw new NotFoundError('It');
    if (this.failure) throw this.failure;
    return value;
  }
}

async function take(viewer: Viewer<number>, count: number): Promise<number[]> {
  const rows: number[] = [];
  while (rows.length < count) rows.push(...(await viewer.next())!.items.map(({ row }) => row));
  return rows;
}

const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

let counter: Counter;
const viewers: Viewer<number>[] = [];

beforeEach(() => {
  counter = new Counter();
});

afterEach(() => viewers.splice(0).forEach((viewer) => viewer.close()));

async function join(from: string | null = null): Promise<Viewer<number>> {
  const viewer = await counter.watches.join('it', from);
  viewers.push(viewer);
  return viewer;
}

describe('a watch', () => {
  it('shows each of its viewers everything from where they began, in order', async () => {
    counter.last = 3;
    const [fromNow, fromStart] = [await join(), await join('0')];
    counter.grow(500);
    expect(await take(fromNow, 500)).toEqual(upTo(503, 4));
    expect(await take(fromStart, 503)).toEqual(upTo(503));
    counter.grow(1);
    expect([await take(fromNow, 1), await take(fromStart, 1)]).toEqual([[504], [504]]);
  });

  it('reads once for all who keep up', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => join()));
    const before = counter.reads.length;
    const taking = Promise.all(all.map((viewer) => take(viewer, 1)));
    counter.grow(1);
    expect(await taking).toEqual(all.map(() => [1]));
    expect(counter.reads.slice(before).every(([, until]) => until === null)).toBe(true);
  });

  it('lets those catch up who were busy, without the others', async () => {
    const [quick, slow] = [await join(), await join()];
    for (let count = 1; count <= 5; count++) {
      counter.grow(300);
      await take(quick, 300);
    }
    expect(await take(slow, 1_500)).toEqual(upTo(1_500));
    expect(slow.position).toBe(quick.position);
  });

  it('is at least as far as any position that another instance can have given out', async () => {
    await join();
    // Committed elsewhere: nothing wakes this instance.
    counter.last = 7;
    const resumed = await join('7');
    counter.grow(1);
    expect(await take(resumed, 1)).toEqual([8]);
  });

  it('tries again when a read fails', async () => {
    const viewer = await join();
    counter.failure = new Error('away');
    counter.grow(2);
    const taking = take(viewer, 2);
    while (counter.errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    counter.failure = undefined;
    expect(await taking).toEqual([1, 2]);
  });

  it('can not be joined while its source fails, and can be later', async () => {
    counter.failure = new Error('away');
    await expect(join()).rejects.toThrow('away');
    await expect(join('0')).rejects.toThrow('away');
    counter.failure = undefined;
    const viewer = await join('0');
    counter.grow(1);
    expect(await take(viewer, 1)).toEqual([1]);
  });

  it('ends for everybody when there is nothing any more', async () => {
    const waiting = [await join(), await join()].map((viewer) => viewer.next());
    counter.isGone = true;
    counter.watches.wake('it');
    expect(await Promise.all(waiting)).toEqual([null, null]);
    await expect(join()).rejects.toThrow('It not found');
  });

  it('lets a viewer go who waits', async () => {
    const viewer = await join();
    const waiting = viewer.next();
    viewer.close();
    expect(await waiting).toBeNull();
    expect(await viewer.next()).toBeNull();
  });

  it('loses nobody who joins while the last one leaves', async () => {
    const first = await join();
    const release = counter.hold();
    const joining = join('0');
    first.close();
    release();
    const second = await joining;
    counter.grow(1);
    expect(await take(second, 1)).toEqual([1]);
  });
});
