import type { Drain } from './drain.js';
import { PendingPoll, type PollCaller } from './pending-poll.js';

/** Minimum pause before a poll looks again for later work; milliseconds. */
const MINIMUM_PAUSE_MS = 50;

/** Time after which a poll looks again although nothing has changed; limits the damage of a lost notification. */
const LONGEST_SLEEP_MS = 2 * 60_000;

/**
 * Long polls: each is answered as soon as there is something for it, on whichever instance that was made. Writers of
 * changes call {@link wake}.
 */
export class LongPolls<Found> {
  private readonly waiting = new Map<string, PendingPoll<Found>[]>();

  /**
   * @param maximum number of concurrent polls of one key. With one more, the oldest is answered empty: its caller can
   *   neither fill the memory with polls, nor make one change wake thousands
   */
  constructor(
    private readonly drain: Drain,
    private readonly maximum: number,
  ) {
    drain.onBegin(() => this.wakeAll());
  }

  /**
   * Starts a poll, and returns at once. The caller gets one answer or one error: an `UnauthenticatedError` if its
   * credential was revoked in the meantime.
   *
   * @param key names what it waits for
   * @param waitMs maximum time to wait; 0 answers after the first look
   */
  poll(key: string, waitMs: number, caller: PollCaller<Found>): void {
    const deadline = waitMs > 0 ? performance.now() + waitMs : 0;
    const poll = new PendingPoll(key, deadline, caller, this.serve);
    if (waitMs > 0) this.subscribe(poll);
    void this.serve(poll);
  }

  /** Wakes the polls of a key: there may be something for them. */
  wake(key: string): void {
    for (const poll of [...(this.waiting.get(key) ?? [])]) poll.wake();
  }

  wakeAll(): void {
    for (const key of [...this.waiting.keys()]) this.wake(key);
  }

  /** Number of polls that wait for a key. */
  countOf(key: string): number {
    return this.waiting.get(key)?.length ?? 0;
  }

  /** Answers the poll, or puts it to sleep; after it wakes, it is served again. */
  private readonly serve = async (poll: PendingPoll<Found>): Promise<void> => {
    const { deadline, caller } = poll;
    try {
      for (;;) {
        const { isWoken } = poll;
        if (isWoken) {
          // Later news is left to the next poll: an instance that is ending need not query the
          // database.
          if (this.drain.isDraining || poll.isDisplaced) return this.answer(poll, null);
          poll.isWoken = false;
          // The credential may have been revoked: that ends the wait, even if there is nothing.
          await caller.assertAllowed();
        }
        if (caller.reply.closed) return this.answer(poll, null);
        const look = caller.look(isWoken);
        const { found, nextDueMs } = look instanceof Promise ? await look : look;
        const remaining = deadline > 0 ? deadline - performance.now() : 0;
        if (found !== null || remaining <= 0 || this.drain.isDraining) return this.answer(poll, found);
        const due = Math.max(nextDueMs ?? Infinity, MINIMUM_PAUSE_MS);
        if (poll.sleep(Math.min(remaining, LONGEST_SLEEP_MS, due))) return;
      }
    } catch (error) {
      this.unsubscribe(poll);
      caller.fail(error);
    }
  };

  private answer(poll: PendingPoll<Found>, found: Found | null): void {
    this.unsubscribe(poll);
    poll.caller.answer(found);
  }

  /** Subscribes before the first look, so that no change in between is missed. */
  private subscribe(poll: PendingPoll<Found>): void {
    poll.caller.reply.on('close', poll.wake);
    const polls = this.waiting.get(poll.key);
    if (polls) polls.push(poll);
    else this.waiting.set(poll.key, [poll]);
    if (polls && polls.length > this.maximum) {
      const oldest = polls.shift()!;
      oldest.isDisplaced = true;
      oldest.wake();
    }
  }

  private unsubscribe(poll: PendingPoll<Found>): void {
    const polls = this.waiting.get(poll.key);
    if (!polls) return;
    const others = polls.filter((other) => other !== poll);
    if (others.length > 0) this.waiting.set(poll.key, others);
    else this.waiting.delete(poll.key);
  }
}
