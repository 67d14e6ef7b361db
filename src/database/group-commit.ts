import type { SpanContext } from '@opentelemetry/api';
import { groupSizes } from '../observability/instruments.js';
import { activeSpanContext, inSharedSpan } from '../observability/spans.js';
import { isDatabaseUnavailable, isSerializationFailure } from './database-errors.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** The request that waits, where it is traced. */
  readonly cause: SpanContext | undefined;
}

export interface GroupLimits<Item> {
  /** Items in a group at most; 1,000 when absent. */
  readonly maximumItems?: number;
  /** Largest weight of a group, by {@link weightOf}. An item that alone weighs more goes alone. */
  readonly maximumWeight?: number;
  readonly weightOf?: (item: Item) => number;
  /** Groups under way at once; 1 when absent. */
  readonly concurrency?: number;
  /** {@link PROMPT} when absent. */
  readonly pace?: Pace;
}

/** A group that lost against another transaction is run again this often before its callers get the error. */
const ATTEMPTS = 4;

/** When the groups begin. */
export interface Pace {
  /** Shortest time between the beginnings of two groups that are not full; milliseconds. */
  readonly ms: number;
  /** A group of so many items is full, and begins at once: waiting would save little. */
  readonly fullAt: number;
}

/**
 * A statement costs both processes far more than another row of it, so a service that is called all the time spends some
 * milliseconds of each call's time and saves most of its work.
 */
const PROMPT: Pace = { ms: 20, fullAt: 16 };
/** No wait: only the items that come while a group is under way share the next one. For reads that somebody waits for. */
export const AT_ONCE: Pace = { ms: 0, fullAt: 1 };
/**
 * For logs and metrics of a fleet, whose reply nobody is in a hurry for. With 10,000 agents a group of logs then holds nine batches
 * instead of three, and a batch takes PostgreSQL 0.09 ms of processor time instead of 0.17.
 */
export const TWENTY_A_SECOND: Pace = { ms: 50, fullAt: 16 };
/** For what no request waits for. */
export const ONCE_A_SECOND: Pace = { ms: 1_000, fullAt: 1_000 };

/**
 * Commits what concurrent requests write together, in one statement; for what they only read, see `BatchedRead`. It
 * gathers what comes in the same turn of the event loop, while the last group commits, and at its pace. A
 * request that comes after a pause waits for nothing. Each caller is answered after the commit of its own group, and an
 * item that the database refuses fails alone.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private beganAt = -Infinity;
  private beginsThisTurn = false;
  private beginsLater: NodeJS.Timeout | undefined;

  /**
   * @param name for the metric of its groups' sizes
   * @param commit writes the items in one transaction and returns a result for each, in order
   */
  constructor(
    private readonly name: string,
    private readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly limits: GroupLimits<Item> = {},
  ) {}

  /** Resolves when the item has been committed. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject, cause: activeSpanContext() });
      this.planNext();
    });
  }

  /** Commits what waits without its pace, and resolves when nothing is left: the process is about to end. */
  async finish(): Promise<void> {
    while (this.waiting.length > 0 || this.underWay.size > 0) {
      this.commitNext();
      await Promise.all(this.underWay);
    }
  }

  private planNext(): void {
    if (this.beginsThisTurn || !this.hasRoom() || this.waiting.length === 0) return;
    const { ms, fullAt } = this.limits.pace ?? PROMPT;
    const pauseMs = this.waiting.length < fullAt ? this.beganAt + ms - performance.now() : 0;
    if (pauseMs > 0) {
      this.beginsLater ??= setTimeout(() => this.commitNext(), pauseMs);
      return;
    }
    this.beginsThisTurn = true;
    setImmediate(() => this.commitNext());
  }

  private hasRoom(): boolean {
    return this.underWay.size < (this.limits.concurrency ?? 1);
  }

  private commitNext(): void {
    clearTimeout(this.beginsLater);
    this.beginsLater = undefined;
    this.beginsThisTurn = false;
    if (!this.hasRoom() || this.waiting.length === 0) return;
    this.beganAt = performance.now();
    const group = this.waiting.splice(0, this.nextGroupSize());
    groupSizes.observe({ group: this.name }, group.length);
    const span = { name: `group ${this.name}`, attributes: { 'control_plane.group_size': group.length } };
    const causes = group.map(({ cause }) => cause);
    const committing: Promise<void> = inSharedSpan(span, causes, () => this.commitGroup(group)).finally(
      () => {
        this.underWay.delete(committing);
        this.planNext();
      },
    );
    this.underWay.add(committing);
    this.planNext();
  }

  private nextGroupSize(): number {
    const { maximumItems = 1_000, maximumWeight = Infinity, weightOf } = this.limits;
    const most = Math.min(maximumItems, this.waiting.length);
    if (!weightOf) return most;
    let weight = 0;
    for (let size = 0; size < most; size++) {
      weight += weightOf(this.waiting[size]!.item);
      if (weight > maximumWeight) return Math.max(1, size);
    }
    return most;
  }

  private async commitGroup(group: readonly Waiting<Item, Result>[], attempt = 1): Promise<void> {
    try {
      const results = await this.commit(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      // Groups of two instances may lock the same rows in different orders: nobody's fault, and gone the next time.
      if (isSerializationFailure(error) && attempt < ATTEMPTS) return this.commitGroup(group, attempt + 1);
      if (group.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      // One of them is to blame. Halving finds it in few statements and commits all the others.
      const middle = Math.ceil(group.length / 2);
      await this.commitGroup(group.slice(0, middle));
      await this.commitGroup(group.slice(middle));
    }
  }
}
