import type { PollCaller } from './command.types.js';

/**
 * A poll, from its arrival to its answer. It is an object with a timer: promises and an async function for each took
 * 0.8 KiB more of V8's heap.
 */
export class PendingPoll {
  /** True after a newer poll has taken its place. */
  isDisplaced = false;
  /** True if the queue may have changed since it was read, or the poll has to end. */
  isWoken = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param limit maximum number of commands
   * @param deadline latest time of the answer, by `performance.now()`; 0: as soon as the queue was read
   * @param resume called when it wakes from its sleep; never rejects
   */
  constructor(
    readonly agentId: string,
    readonly limit: number,
    readonly deadline: number,
    readonly caller: PollCaller,
    private readonly resume: (poll: PendingPoll) => Promise<void>,
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
