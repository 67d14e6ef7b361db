import pLimit, { type LimitFunction } from 'p-limit';
import { CONNECTION_WAIT_MS } from '../budget/pool-sizes.js';

/** How much work may wait in line, for each place; what comes after that is refused at once. */
export interface WaitingPerPlace {
  readonly ofOneUser: number;
  readonly ofAll: number;
}

/** There is no place, and no room to wait for one, or none became free in time. */
export class BulkheadFullError extends Error {}

/**
 * Keeps a kind of work to a number of places, so that however much of it is asked for, the rest of the service goes
 * on. Two limits stand one behind the other: a user's own, of half the places, then that of all. So a user who asks for
 * much always leaves places to others, and stands in the common line with no more than that half: whoever comes waits
 * for a few turns, not for all that somebody else has asked for.
 */
export class Bulkhead {
  private readonly ofAll: LimitFunction;
  private readonly ofUsers = new Map<string, { readonly limit: LimitFunction; admitted: number }>();
  private readonly placesOfOneUser: number;
  private admitted = 0;

  /**
   * @param places how much of the work is done at once; at least 1
   * @param waitMs how long work waits for its turn at most; milliseconds
   */
  constructor(
    private readonly places: number,
    private readonly waitingPerPlace: WaitingPerPlace,
    private readonly waitMs = CONNECTION_WAIT_MS,
  ) {
    this.ofAll = pLimit(places);
    this.placesOfOneUser = Math.ceil(places / 2);
  }

  /** @throws BulkheadFullError where the work would have to wait too long, or has; whatever the work throws */
  async run<T>(user: string, work: () => Promise<T>): Promise<T> {
    const own = this.ofUsers.get(user) ?? { limit: pLimit(this.placesOfOneUser), admitted: 0 };
    const isFull =
      own.admitted >= this.placesOfOneUser * (1 + this.waitingPerPlace.ofOneUser) ||
      this.admitted >= this.places * (1 + this.waitingPerPlace.ofAll);
    if (isFull) throw new BulkheadFullError('All places are taken');
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

  /** Work that has given up waiting is skipped when its turn comes. */
  private inTime<T>(work: () => Promise<T>, line: (turn: () => Promise<void>) => Promise<void>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const patience = setTimeout(() => {
        isLate = true;
        reject(new BulkheadFullError(`No place became free within ${this.waitMs} ms`));
      }, this.waitMs);
      patience.unref();
      void line(async () => {
        if (isLate) return;
        clearTimeout(patience);
        await work().then(resolve, reject);
      });
    });
  }
}
