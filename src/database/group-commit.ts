import { AsyncLocalStorage } from 'node:async_hooks';
import { isDatabaseUnavailable } from './database-errors.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits what concurrent requests write together, in one statement. It gathers while the last group commits, so
 * there is no timer: a request that is alone waits for nothing. Each caller is answered after the commit of its
 * own group, and an item that the database refuses fails alone.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private committing = 0;
  /** A group belongs to no request, so it must not run inside the first one's transaction. */
  private readonly outsideRequests = AsyncLocalStorage.snapshot();

  /**
   * @param commit writes the items in one transaction and returns a result for each, in order
   * @param maximumItems items in a group at most
   * @param concurrency groups under way at once
   */
  constructor(
    private readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly maximumItems = 1_000,
    private readonly concurrency = 1,
  ) {}

  /** Resolves when the item has been committed. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.outsideRequests(() => this.commitNext());
    });
  }

  private commitNext(): void {
    if (this.committing >= this.concurrency || this.waiting.length === 0) return;
    const group = this.waiting.splice(0, this.maximumItems);
    this.committing++;
    void this.commitGroup(group).finally(() => {
      this.committing--;
      this.commitNext();
    });
  }

  private async commitGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.commit(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
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
