import { LRUCache } from 'lru-cache';
import { ConcurrencyCounts } from '../http/concurrency-counts.js';

/** How many attempts an endpoint of which nothing is known may have under way. */
const FIRST_ALLOWANCE = 2;
const REMEMBERED_ENDPOINTS = 10_000;

/** The standing of an endpoint, from its last answers. */
interface Standing {
  readonly allowance: number;
  readonly isProven: boolean;
}

const UNKNOWN: Standing = { allowance: FIRST_ALLOWANCE, isProven: false };

/** An attempt's place, from its begin to its end. */
export interface Slot {
  readonly endpointId: string;
  readonly isOnTrial: boolean;
}

export interface Allotment {
  /** How many slots each endpoint may take now, in the order in which they were named; those with none left out. */
  readonly shares: readonly { readonly endpointId: string; readonly slots: number }[];
  /** Endpoints that have all that they have earned under way already. */
  readonly saturated: readonly string[];
  /** Some get none though they have earned some: there are not enough. */
  readonly isShort: boolean;
}

/**
 * How many attempts may be under way at once on this instance, altogether and to each endpoint. An endpoint earns its
 * share: one more with each success, back to a single one with a failure. So one that hangs holds one slot, however
 * much waits for it. And however many hang, half of all slots are only for endpoints that have proven themselves.
 */
export class EndpointSlots {
  private readonly underWay = new ConcurrencyCounts();
  private readonly standings = new LRUCache<string, Standing>({ max: REMEMBERED_ENDPOINTS });
  private taken = 0;
  private onTrial = 0;

  /**
   * @param total attempts under way at most
   * @param perEndpoint the most that a single endpoint can earn
   */
  constructor(
    private readonly total: number,
    private readonly perEndpoint: number,
  ) {}

  get free(): number {
    return this.total - this.taken;
  }

  allot(endpointIds: readonly string[]): Allotment {
    const shares: { endpointId: string; slots: number }[] = [];
    const saturated: string[] = [];
    let forTrials = Math.min(this.free, Math.max(1, Math.floor(this.total / 2)) - this.onTrial);
    let isShort = false;
    for (const endpointId of endpointIds) {
      const { isProven } = this.standingOf(endpointId);
      const earned = this.earned(endpointId);
      const slots = Math.min(earned, isProven ? this.free : Math.max(0, forTrials));
      if (earned === 0) saturated.push(endpointId);
      else if (slots > 0) shares.push({ endpointId, slots });
      else isShort = true;
      if (!isProven) forTrials -= slots;
    }
    return { shares, saturated, isShort };
  }

  take(endpointId: string): Slot {
    const slot = { endpointId, isOnTrial: !this.standingOf(endpointId).isProven };
    this.taken++;
    if (slot.isOnTrial) this.onTrial++;
    this.underWay.add(endpointId);
    return slot;
  }

  /** The endpoint is free of it; the attempt itself is not over before its result is written. */
  answered({ endpointId }: Slot, succeeded: boolean): void {
    this.underWay.remove(endpointId);
    const allowance = succeeded ? Math.min(this.standingOf(endpointId).allowance + 1, this.perEndpoint) : 1;
    this.standings.set(endpointId, { allowance, isProven: succeeded });
  }

  giveBack({ isOnTrial }: Slot): void {
    this.taken--;
    if (isOnTrial) this.onTrial--;
  }

  private standingOf(endpointId: string): Standing {
    return this.standings.get(endpointId) ?? UNKNOWN;
  }

  private earned(endpointId: string): number {
    const allowance = Math.min(this.standingOf(endpointId).allowance, this.perEndpoint);
    return Math.max(0, allowance - this.underWay.of(endpointId));
  }
}
