import { Inject, Injectable } from '@nestjs/common';
import { CONCURRENCY_SHARES, type RequestKind } from '../budget/concurrency-shares.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { UnavailableError } from '../errors/domain-error.js';
import { ConcurrencyCounts } from './concurrency-counts.js';
import { retryAfterSeconds } from './retry-after.js';

/** `taken`: the caller must release the slot. The others name the limit that was reached. */
export type SlotOutcome = 'taken' | 'all_full' | 'address_full';

/** Too many requests are under way; one more would make all of them slower. */
export class TooManyConcurrentRequestsError extends UnavailableError {
  /** @param isGeneral true: the service has too many requests; false: only the caller's address has */
  constructor(readonly isGeneral: boolean) {
    super(
      isGeneral
        ? 'The service is overloaded: try again later'
        : 'Too many requests from this IP address are in progress: try again in a second',
      // Refusals of one address must not lengthen the `Retry-After` of all others.
      isGeneral ? undefined : retryAfterSeconds(),
      'overloaded',
    );
  }
}

/**
 * Limits the requests under way, by kind and by address, so that an overloaded service refuses some at once instead of
 * answering all too late. A request takes a slot when it has arrived completely and its route is known, and
 * `ConcurrencyGuard` releases it. A half-sent request takes none.
 */
@Injectable()
export class ConcurrentRequests {
  private readonly taken: Record<RequestKind, number> = { runtimes: 0, bulk: 0, people: 0, open: 0 };
  private readonly ofAddresses = new ConcurrencyCounts();

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  limitOf(kind: RequestKind): number {
    return Math.ceil(this.settings.MAX_REQUESTS_IN_FLIGHT * CONCURRENCY_SHARES[kind]);
  }

  takenOf(kind: RequestKind): number {
    return this.taken[kind];
  }

  /** The outcome of a call of {@link take}, without taking a slot. */
  look(kind: RequestKind, address: string): SlotOutcome {
    if (this.taken[kind] >= this.limitOf(kind)) return 'all_full';
    const { MAX_REQUESTS_IN_FLIGHT_PER_ADDRESS: maximum } = this.settings;
    return this.ofAddresses.of(address) >= maximum ? 'address_full' : 'taken';
  }

  take(kind: RequestKind, address: string): SlotOutcome {
    const outcome = this.look(kind, address);
    if (outcome !== 'taken') return outcome;
    this.taken[kind]++;
    this.ofAddresses.add(address);
    return outcome;
  }

  release(kind: RequestKind, address: string): void {
    this.taken[kind]--;
    this.ofAddresses.remove(address);
  }
}
