import pLimit, { type LimitFunction } from 'p-limit';
import { CONNECTION_WAIT_MS } from '../budget/pool-sizes.js';
import { UserBusyError } from './database-errors.js';

interface ConcurrencyLimitOptions {
  /** Maximum time that work waits for its turn; milliseconds. */
  readonly waitMs?: number;
  /** Share of the slots that one user's work may take: one slot at least, and not the last one of several. */
  readonly shareOfOneUser?: number;
}

/** Maximum number of waiting works; further ones are refused at once. */
export interface WaitingWorks {
  readonly ofOneUser: number;
  readonly ofAll: number;
}

/**
 * Limits the concurrent work of a kind. Work passes two limits: its user's own, of a share of the slots, then the general
 * one. So a user with much work leaves slots to others, and others wait for a few turns, not for all of that user's
 * work.
 */
export class ConcurrencyLimit {
  private readonly ofAll: LimitFunction;
  private readonly ofUsers = new Map<string, { readonly limit: LimitFunction; admitted: number }>();
  private readonly slotsOfOneUser: number;
  private readonly waitMs: number;
  private admitted = 0;

  /** @param slots number of concurrent works; at least 1 */
  constructor(
    private readonly slots: number,
    private readonly waiting: WaitingWorks,
    { waitMs = CONNECTION_WAIT_MS, shareOfOneUser = 1 / 2 }: ConcurrencyLimitOptions = {},
  ) {
    this.ofAll = pLimit(slots);
    this.waitMs = waitMs;
    this.slotsOfOneUser = Math.max(1, Math.min(slots - 1, Math.ceil(slots * shareOfOneUser)));
  }

  /** @throws UserBusyError if the work would have to wait too long, or has; also the errors of the work */
  async run<T>(user: string, work: () => Promise<T>): Promise<T> {
    const own = this.ofUsers.get(user) ?? { limit: pLimit(this.slotsOfOneUser), admitted: 0 };
    const isFull =
      own.admitted >= this.slotsOfOneUser + this.waiting.ofOneUser ||
      this.admitted >= this.slots + this.waiting.ofAll;
    if (isFull) throw new UserBusyError("Too much of this user's work waits for a connection");
    this.ofUsers.set(user, own);
    own.admitted++;
    this.admitted++;
    try {
      return await this.inTime(work, (turn) => own.limit(() => this.ofAll(turn)));
    } finally {
      own.admitted--;
      this.admitted--;
      if (own.admitted === 0) this.ofUsers.delete(user);
    }
  }

  /** Work whose wait has timed out is skipped when its turn comes. */
  private inTime<T>(work: () => Promise<T>, line: (turn: () => Promise<void>) => Promise<void>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const patience = setTimeout(() => {
        isLate = true;
        reject(new UserBusyError(`No connection became free within ${this.waitMs} ms`));
      }, this.waitMs);
      patience.unref();
      void line(async () => {
        if (isLate) return;
        clearTimeout(patience);
        // Work may throw before its first await; nobody waits for this turn, so its rejection would end the process.
        await Promise.resolve().then(work).then(resolve, reject);
      });
    });
  }
}
