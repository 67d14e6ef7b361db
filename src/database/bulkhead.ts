import pLimit, { type LimitFunction } from 'p-limit';

/** Who come for more wait in line, so many for each place; whoever comes after them is turned away. */
const WAITING_FOR_A_PLACE = { ofOneUser: 2, ofAll: 4 };

/** There is no place, and no room to wait for one. */
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

  /** @param places how much of the work is done at once; at least 1 */
  constructor(private readonly places: number) {
    this.ofAll = pLimit(places);
    this.placesOfOneUser = Math.max(1, Math.floor(places / 2));
  }

  /** @throws BulkheadFullError at once where the work would have to wait too long; whatever the work throws */
  async run<T>(user: string, work: () => Promise<T>): Promise<T> {
    const own = this.ofUsers.get(user) ?? { limit: pLimit(this.placesOfOneUser), admitted: 0 };
    const isFull =
      own.admitted >= this.placesOfOneUser * (1 + WAITING_FOR_A_PLACE.ofOneUser) ||
      this.admitted >= this.places * (1 + WAITING_FOR_A_PLACE.ofAll);
    if (isFull) throw new BulkheadFullError('All places are taken');
    this.ofUsers.set(user, own);
    own.admitted++;
    this.admitted++;
    try {
      return await own.limit(() => this.ofAll(work));
    } finally {
      own.admitted--;
      this.admitted--;
      if (own.admitted === 0) this.ofUsers.delete(user);
    }
  }
}
