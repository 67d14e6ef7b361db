import type { SpanContext } from '@opentelemetry/api';
import { Histogram } from 'prom-client';
import { instruments } from '../observability/instruments.js';
import { activeSpanContext, inSharedSpan } from '../observability/spans.js';
import {
  GROUP_LIMITS,
  type GroupLimits,
  ITEMS_OF_A_FULL_GROUP,
  WEIGHT_OF_A_FULL_GROUP,
} from '../budget/group-limits.js';
import { isDatabaseUnavailable, isSerializationFailure } from './database-errors.js';

const groupSizes = new Histogram({
  name: 'control_plane_group_size',
  help: 'Items written or read together in one statement',
  labelNames: ['group'],
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000],
  registers: [instruments],
});

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** The span of the waiting request, if it is traced. */
  readonly cause: SpanContext | undefined;
}

export interface GroupOptions<Item> extends Partial<GroupLimits> {
  /** Absent: items are small, and weigh nothing. */
  readonly weightOf?: (item: Item) => number;
}

/** Too much waits for the groups before; answered with 503. */
class GroupsBusyError extends Error {
  /** PostgreSQL's own for "configured limit exceeded". */
  readonly code = '53400';
}

/** Number of attempts of a group that conflicts with another transaction, before its callers get the error. */
const ATTEMPTS = 4;

/**
 * Commits what concurrent requests write together, in one statement, or reads what they look up. It gathers items of the same
 * turn of the event loop, while the last group commits, and at its pace. A request that comes after a pause waits for
 * nothing. Each caller is answered after the commit of its own group, and an item that the database refuses fails alone.
 * Neither a group nor what waits for one grows without bound.
 *
 * The npm package `dataloader` is unsuitable for look-ups: it sends a batch for each turn of the event loop, however many are
 * under way. The look-ups of a fleet arrive one after the other, so most of its batches would have one key.
 */
export class GroupCommit<Item, Result> {
  private readonly limits: GroupLimits;
  private readonly weightOf: (item: Item) => number;
  private waiting: Waiting<Item, Result>[] = [];
  private waitingWeight = 0;
  private readonly underWay = new Set<Promise<void>>();
  private beganAt = -Infinity;
  private beginsThisTurn = false;
  private beginsLater: NodeJS.Timeout | undefined;

  /**
   * @param name for the metric of its groups' sizes
   * @param commit writes the items in one transaction, or reads them, and returns a result for each, in order
   */
  constructor(
    private readonly name: string,
    private readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>,
    { weightOf = () => 0, ...limits }: GroupOptions<Item> = {},
  ) {
    this.limits = { ...GROUP_LIMITS, ...limits };
    this.weightOf = weightOf;
  }

  /**
   * Resolves when the item has been committed.
   *
   * @throws GroupsBusyError where too much waits already
   */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const weight = this.weightOf(item);
      if (!this.mayWait(weight)) {
        reject(new GroupsBusyError(`Too many items wait for the group ${this.name}`));
        return;
      }
      this.waiting.push({ item, weight, resolve, reject, cause: activeSpanContext() });
      this.waitingWeight += weight;
      this.planNext();
    });
  }

  /** Commits the waiting items without a pause, and resolves when none is left: the process is about to end. */
  async finish(): Promise<void> {
    while (this.waiting.length > 0 || this.underWay.size > 0) {
      this.commitNext();
      await Promise.all(this.underWay);
    }
  }

  /** An item may always wait if no other one does, whatever its weight. */
  private mayWait(weight: number): boolean {
    const { waitingItems, waitingWeight } = this.limits;
    const fits = this.waiting.length < waitingItems && this.waitingWeight + weight <= waitingWeight;
    return fits || this.waiting.length === 0;
  }

  private planNext(): void {
    if (this.beginsThisTurn || !this.hasRoom() || this.waiting.length === 0) return;
    const isFull =
      this.waiting.length >= ITEMS_OF_A_FULL_GROUP || this.waitingWeight >= WEIGHT_OF_A_FULL_GROUP;
    const pauseMs = isFull ? 0 : this.beganAt + this.limits.paceMs - performance.now();
    if (pauseMs > 0) {
      this.beginsLater ??= setTimeout(() => this.commitNext(), pauseMs);
      return;
    }
    this.beginsThisTurn = true;
    setImmediate(() => this.commitNext());
  }

  private hasRoom(): boolean {
    return this.underWay.size < this.limits.concurrency;
  }

  private commitNext(): void {
    clearTimeout(this.beginsLater);
    this.beginsLater = undefined;
    this.beginsThisTurn = false;
    if (!this.hasRoom() || this.waiting.length === 0) return;
    this.beganAt = performance.now();
    const group = this.takeGroup();
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

  /** Takes the next group from what waits: one item at least, and no more than the limits allow. */
  private takeGroup(): Waiting<Item, Result>[] {
    const most = Math.min(this.limits.items, this.waiting.length);
    let size = 1;
    let weight = this.waiting[0]!.weight;
    for (; size < most; size++) {
      const next = weight + this.waiting[size]!.weight;
      if (next > this.limits.weight) break;
      weight = next;
    }
    this.waitingWeight -= weight;
    return this.waiting.splice(0, size);
  }

  private async commitGroup(group: readonly Waiting<Item, Result>[], attempt = 1): Promise<void> {
    try {
      const results = await this.commit(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      // Groups of two instances may lock the same rows in different orders: a repetition succeeds.
      if (isSerializationFailure(error) && attempt < ATTEMPTS) return this.commitGroup(group, attempt + 1);
      if (group.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      // One of the items causes the error. Halving finds it in few statements and commits all the others.
      const middle = Math.ceil(group.length / 2);
      await this.commitGroup(group.slice(0, middle));
      await this.commitGroup(group.slice(middle));
    }
  }
}
