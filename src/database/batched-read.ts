import { GroupCommit, type GroupOptions } from './group-commit.js';

/**
 * Answers concurrent look-ups with one statement. Nothing is cached. It groups as {@link GroupCommit} does: one
 * statement is under way at a time, and look-ups that arrive in the meantime share the next one.
 *
 * The npm package `dataloader` is unsuitable: it sends a batch for each turn of the event loop, however many are under
 * way. The look-ups of a fleet arrive one after the other, so most of its batches would have one key.
 */
export class BatchedRead<Key, Value> {
  private readonly groups: GroupCommit<Key, Value>;

  /**
   * @param name for the metric of the batches' sizes
   * @param read returns a value for each key, in order; perhaps it gets one of them twice
   * @param options those of {@link GroupCommit}
   */
  constructor(
    name: string,
    read: (keys: readonly Key[]) => Promise<readonly Value[]>,
    options?: GroupOptions<Key>,
  ) {
    this.groups = new GroupCommit(name, read, options);
  }

  read(key: Key): Promise<Value> {
    return this.groups.submit(key);
  }
}
