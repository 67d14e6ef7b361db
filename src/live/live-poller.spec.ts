import { Page } from '../database/page.js';
import { NotFoundError } from '../errors/domain-error.js';
import type { LiveReader } from './live-poller.js';
import { LivePollers } from './live-pollers.js';
import { sequenceSource } from './sequence-source.js';

/** A growing sequence of numbers, and the reads of it. */
class Counter {
  last = 0;
  isGone = false;
  failure: Error | undefined;
  readonly reads: [from: string, until: string | null][] = [];
  readonly errors: unknown[] = [];
  private held: Promise<void> | undefined;
  readonly pollers = new LivePollers<number>(
    () => {
      const source = sequenceSource<number>({
        last: () => this.answer(this.last),
        list: (after, upTo, limit) => {
          const rows = Array.from(
            { length: Math.max((upTo ?? this.last) - after, 0) },
            (_, index) => after + index + 1,
          );
          return this.answer(Page.of(rows, { limit }));
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
    this.pollers.wake('it');
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

/** Keeps the items that it reads. */
class Follower {
  readonly rows: number[] = [];
  isEnded = false;
  /** While it is there, the next page is not asked for. */
  held: Promise<void> | undefined;

  constructor(private readonly reader: LiveReader<number>) {
    void this.readOn();
  }

  get position(): string {
    return this.reader.readUpTo;
  }

  leave(): void {
    this.reader.leave();
  }

  /** Waits for so many rows. @returns all there are */
  async has(count: number): Promise<number[]> {
    await settled(() => this.rows.length >= count);
    return this.rows;
  }

  private async readOn(): Promise<void> {
    for (let page; (page = await this.reader.next());) {
      this.rows.push(...page.items.map(({ row }) => row));
      await this.held;
    }
    this.isEnded = true;
  }
}

async function settled(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

let counter: Counter;
const followers: Follower[] = [];

beforeEach(() => {
  counter = new Counter();
});

afterEach(() => followers.splice(0).forEach((follower) => follower.leave()));

async function subscribe(from: string | null = null): Promise<Follower> {
  const follower = new Follower(await counter.pollers.follow('it', from));
  followers.push(follower);
  return follower;
}

describe('The live poller', () => {
  it('delivers to each subscriber every row after its position, in order', async () => {
    counter.last = 3;
    const [fromNow, fromStart] = [await subscribe(), await subscribe('0')];
    counter.grow(500);
    expect(await fromNow.has(500)).toEqual(upTo(503, 4));
    expect(await fromStart.has(503)).toEqual(upTo(503));
    counter.grow(1);
    expect((await fromNow.has(501)).at(-1)).toBe(504);
    expect((await fromStart.has(504)).at(-1)).toBe(504);
  });

  it('reads once for all subscribers that keep up', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => subscribe()));
    const before = counter.reads.length;
    counter.grow(1);
    for (const reader of all) expect(await reader.has(1)).toEqual([1]);
    expect(counter.reads.slice(before).every(([, until]) => until === null)).toBe(true);
  });

  it('lets a slow subscriber catch up later without delaying the others', async () => {
    const [quick, slow] = [await subscribe(), await subscribe()];
    let release = () => {};
    slow.held = new Promise((resolve) => (release = resolve));
    for (let count = 1; count <= 5; count++) {
      counter.grow(300);
      await quick.has(300 * count);
    }
    expect(slow.rows.length).toBeLessThan(quick.rows.length);
    release();
    expect(await slow.has(1_500)).toEqual(upTo(1_500));
    expect(slow.position).toBe(quick.position);
  });

  it('reads at least up to every position that another instance may have sent', async () => {
    await subscribe();
    // Committed elsewhere: nothing wakes this instance.
    counter.last = 7;
    const resumed = await subscribe('7');
    counter.grow(1);
    expect(await resumed.has(1)).toEqual([8]);
  });

  it('reads again after a failed read', async () => {
    const reader = await subscribe();
    counter.failure = new Error('away');
    counter.grow(2);
    await settled(() => counter.errors.length > 0);
    counter.failure = undefined;
    expect(await reader.has(2)).toEqual([1, 2]);
  });

  it('refuses subscribers while its source fails, and accepts them afterwards', async () => {
    counter.failure = new Error('away');
    await expect(subscribe()).rejects.toThrow('away');
    await expect(subscribe('0')).rejects.toThrow('away');
    counter.failure = undefined;
    const reader = await subscribe('0');
    counter.grow(1);
    expect(await reader.has(1)).toEqual([1]);
  });

  it('ends all subscriptions when their resource is deleted', async () => {
    const both = [await subscribe(), await subscribe()];
    counter.isGone = true;
    counter.pollers.wake('it');
    await settled(() => both.every(({ isEnded }) => isEnded));
    await expect(subscribe()).rejects.toThrow('It not found');
  });

  it('delivers nothing to a subscriber that has left', async () => {
    const [left, stayed] = [await subscribe(), await subscribe()];
    left.leave();
    counter.grow(1);
    expect(await stayed.has(1)).toEqual([1]);
    expect(left.rows).toEqual([]);
  });

  it('continues for a subscriber that joins while the last other one leaves', async () => {
    const first = await subscribe();
    const release = counter.hold();
    const joining = subscribe('0');
    first.leave();
    release();
    const second = await joining;
    counter.grow(1);
    expect(await second.has(1)).toEqual([1]);
  });
});
