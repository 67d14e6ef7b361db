import type { WaitingCaller } from '../access/waiting-caller.js';
import type { Drain } from './drain.js';

/** Minimum pause before a poll looks again for later work; milliseconds. */
const MINIMUM_PAUSE_MS = 50;

/** Time after which a poll looks again although nothing has changed; limits the damage of a lost notification. */
const LONGEST_SLEEP_MS = 2 * 60_000;

/** The result of a look. */
export interface Look<Found> {
  /** Null: nothing yet, so the poll continues waiting. */
  readonly found: Found | null;
  /** Milliseconds until the next look may find something; null: not before a change. */
  readonly nextDueMs: number | null;
}

/**
 * Long polls: each is answered as soon as there is something for it, on whichever instance that was made. Writers of
 * changes call {@link wake}.
 */
export class LongPolls<Found> {
  private readonly waiting = new Map<string, WaitingPoll[]>();

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
   * Resolves to what a look has found; to null if there was nothing within the time, or the poll has to end early.
   *
   * @param key names what the poll waits for
   * @param waitMs maximum time to wait; 0: it looks once
   * @param look called once, and again after each change. It checks the caller before it takes anything: the credential may be
   *   revoked, and the connection closed, while it reads
   * @throws UnauthenticatedError if the caller's credential was revoked while it waited
   */
  async wait(
    key: string,
    waitMs: number,
    caller: WaitingCaller,
    look: (hasWaited: boolean) => Promise<Look<Found>>,
  ): Promise<Found | null> {
    if (waitMs <= 0) return (await look(false)).found;
    const deadline = performance.now() + waitMs;
    // Subscribed before the first look, so that no change in between is missed.
    const poll = this.subscribe(key);
    caller.reply.on('close', poll.wake);
    try {
      let { found, nextDueMs } = await look(false);
      for (;;) {
        const remaining = deadline - performance.now();
        if (found !== null || remaining <= 0) return found;
        const due = Math.max(nextDueMs ?? Infinity, MINIMUM_PAUSE_MS);
        if (!this.drain.isDraining) await poll.sleep(Math.min(remaining, LONGEST_SLEEP_MS, due));
        // Later news is left to the next poll: an instance that is ending need not query the database.
        if (this.drain.isDraining || poll.isDisplaced || caller.reply.closed) return null;
        poll.isWoken = false;
        // The credential may have been revoked: that ends the wait, even if there is nothing.
        await caller.assertAllowed();
        ({ found, nextDueMs } = await look(true));
      }
    } finally {
      this.unsubscribe(key, poll);
    }
  }

  /** Wakes the polls of a key: there may be something for them. */
  wake(key: string): void {
    for (const poll of this.waiting.get(key) ?? []) poll.wake();
  }

  wakeAll(): void {
    for (const key of this.waiting.keys()) this.wake(key);
  }

  /** Number of polls that wait for a key. */
  countOf(key: string): number {
    return this.waiting.get(key)?.length ?? 0;
  }

  private subscribe(key: string): WaitingPoll {
    const polls = this.waiting.get(key) ?? [];
    const poll = new WaitingPoll();
    this.waiting.set(key, polls);
    polls.push(poll);
    if (polls.length > this.maximum) polls.shift()!.displace();
    return poll;
  }

  private unsubscribe(key: string, poll: WaitingPoll): void {
    const others = this.waiting.get(key)?.filter((other) => other !== poll) ?? [];
    if (others.length > 0) this.waiting.set(key, others);
    else this.waiting.delete(key);
  }
}

/** A poll between its looks. */
class WaitingPoll {
  /** True after a newer poll has taken its place. */
  isDisplaced = false;
  /** True if something may have changed since the last look began, or the poll has to end. */
  isWoken = false;
  private endSleep: (() => void) | undefined;

  /** Resolves after the time, or when the poll is woken; at once if that was so during the last look. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.isWoken) return resolve();
      const timer = setTimeout(resolve, Math.ceil(milliseconds));
      this.endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the sleep, if there is one. */
  readonly wake = (): void => {
    this.isWoken = true;
    this.endSleep?.();
  };

  displace(): void {
    this.isDisplaced = true;
    this.wake();
  }
}
