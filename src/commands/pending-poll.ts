import type { ServerResponse } from 'node:http';
import type { LeasedCommand } from './command.types.js';

/** The caller of a poll. It may disconnect or lose its authorization while it waits, so both are checked again. */
export interface PollCaller<Command> {
  /** Nothing is leased once it is closed (its caller has disconnected), because nobody would receive it. */
  readonly reply: Pick<ServerResponse, 'closed' | 'on'>;
  /** Throws the error that a request with the same credential would be refused with now. */
  readonly assertAllowed: () => Promise<void>;
  /** Takes the commands that the poll has found. */
  readonly answer: (commands: readonly Command[]) => void;
  /** Takes the error that the poll has ended with, also one that {@link answer} has thrown. */
  readonly fail: (error: unknown) => void;
}

/**
 * A poll, from its arrival to its answer. It is an object with a timer: the promises and the async function that used to
 * wait with it took 1 KB of memory for each poll of a fleet.
 */
export class PendingPoll {
  /** Made room for a newer one. */
  isDisplaced = false;
  /** The queue may hold something since it was read last, or the poll has to end. */
  isWoken = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param limit commands at most
   * @param deadline when it is answered at the latest, by `performance.now()`
   * @param resume called when it is woken from its sleep; never rejects
   */
  constructor(
    readonly agentId: string,
    readonly limit: number,
    readonly deadline: number,
    readonly caller: PollCaller<LeasedCommand>,
    private readonly resume: (poll: PendingPoll) => Promise<void>,
  ) {}

  /** @returns false where it was woken already: it does not sleep then */
  sleep(milliseconds: number): boolean {
    if (this.isWoken) return false;
    this.timer = setTimeout(this.wake, milliseconds);
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
