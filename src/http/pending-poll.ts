import type { ServerResponse } from 'node:http';

/** The result of a look. */
export interface Look<Found> {
  /** Null: nothing yet, so the poll continues waiting. */
  readonly found: Found | null;
  /** Milliseconds until the next look may find something; null: not before a change. */
  readonly nextDueMs: number | null;
}

/** The caller of a poll. It may disconnect or lose its authorization while it waits, so both are checked again. */
export interface PollCaller<Found> {
  /** A closed reply gets nothing: its caller has disconnected, and nobody would receive it. */
  readonly reply: Pick<ServerResponse, 'closed' | 'on'>;
  /** Throws the error with which a request with the same credential would be refused now. */
  readonly assertAllowed: () => Promise<void>;
  /**
   * Looks for what the poll waits for. It returns at once, without a promise, where that needs no query.
   *
   * @param isWoken true: a change has woken the poll
   */
  look(isWoken: boolean): Look<Found> | Promise<Look<Found>>;
  /** Receives the result; null: nothing within the time. */
  answer(found: Found | null): void;
  /** Receives the error that ended the poll, including one thrown by {@link PollCaller.answer}. */
  readonly fail: (error: unknown) => void;
}

/**
 * A poll, from its arrival to its answer. It is an object with a timer: promises and an async function for each took
 * 0.8 KiB more of V8's heap.
 */
export class PendingPoll<Found> {
  /** True after a newer poll has taken its place. */
  isDisplaced = false;
  /** True if something may have changed since the last look, or the poll has to end. */
  isWoken = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param key names what it waits for
   * @param deadline latest time of the answer, by `performance.now()`; 0: after the first look
   * @param resume called when it wakes from its sleep; never rejects
   */
  constructor(
    readonly key: string,
    readonly deadline: number,
    readonly caller: PollCaller<Found>,
    private readonly resume: (poll: PendingPoll<Found>) => Promise<void>,
  ) {}

  /** @returns false if it was woken already: it does not sleep then */
  sleep(milliseconds: number): boolean {
    if (this.isWoken) return false;
    this.timer = setTimeout(this.wake, Math.ceil(milliseconds));
    return true;
  }

  /** Ends the sleep, if there is one. */
  readonly wake = (): void => {
    this.isWoken = true;
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.resume(this);
  };
}
