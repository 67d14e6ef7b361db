import type { PollCaller } from './command.types.js';

/**
 * A poll, from its arrival to its answer. It is an object with a timer: the promises and the async function that used to
 * wait with it took 0.8 KiB more of V8's heap for each.
 */
export class PendingPoll {
  /** Made room for a newer one. */
  isDisplaced = false;
  /** The queue may hold something since it was read last, or the poll has to end. */
  isWoken = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param limit commands at most
   * @param deadline when it is answered at the latest, by `performance.now()`; 0: as soon as the queue was read
   * @param resume called when it is woken from its sleep; never rejects
   */
  constructor(
    readonly agentId: string,
    readonly limit: number,
    readonly deadline: number,
    readonly caller: PollCaller,
    private readonly resume: (poll: PendingPoll) => Promise<void>,
  ) {}

  /** @returns false where it was woken already: it does not sleep then */
  sleep(milliseconds: number): boolean {
    if (this.isWoken) return false;
    this.timer = setTimeout(this.wake, Math.ceil(milliseconds));
    return true;
  }

  /** Ends the sleep, if it sleeps. */
  readonly wake = (): void => {
    this.isWoken = true;
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.resume(this);
  };
}
