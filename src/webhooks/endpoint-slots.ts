import { LRUCache } from 'lru-cache';
import { ConcurrencyCounts } from '../http/concurrency-counts.js';

/** Number of concurrent attempts for an endpoint without a history. */
const FIRST_ALLOWANCE = 2;
const REMEMBERED_ENDPOINTS = 10_000;

/** The current share of an endpoint, from its last answers. */
interface Standing {
  readonly allowance: number;
  readonly isProven: boolean;
}

const UNKNOWN: Standing = { allowance: FIRST_ALLOWANCE, isProven: false };

/** The slot of an attempt, from its beginning to its end. */
export interface Slot {
  readonly endpointId: string;
  readonly isOnTrial: boolean;
}

export interface Allotment {
  /**
   * The number of slots that each endpoint may take now, in the order of the request; endpoints without one are left
   * out.
   */
  readonly shares: readonly { readonly endpointId: string; readonly slots: number }[];
  /** Endpoints whose attempts under way use their whole share. */
  readonly saturated: readonly string[];
  /** True if some endpoint gets no slot although its share is not used up, because all slots are taken. */
  readonly isShort: boolean;
}

/**
 * Limits the concurrent attempts of this instance, in total and for each endpoint. An endpoint's share grows by one
 * with each success, and drops to one with a failure. So an endpoint that hangs holds one slot, however many messages
 * wait for it. Half of all slots are reserved for endpoints with successes, so that hanging endpoints can't take them
 * all.
 */
export class EndpointSlots {
  private readonly underWay = new ConcurrencyCounts();
  private readonly standings = new LRUCache<string, Standing>({ max: REMEMBERED_ENDPOINTS });
  private taken = 0;
  private onTrial = 0;

  /**
   * @param total maximum number of attempts under way
   * @param perEndpoint maximum share of a single endpoint
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

  /** Frees the endpoint's slot. The attempt itself ends later, when its result is written. */
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
