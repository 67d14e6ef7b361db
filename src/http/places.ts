import { Inject, Injectable } from '@nestjs/common';
import { PLACE_SHARES, type PlaceKind } from '../budget/place-limits.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { Tally } from './tally.js';

/** `taken`: the caller must give it back. The others say which limit was reached. */
export type PlaceOutcome = 'taken' | 'all_full' | 'address_full';

/**
 * Bounds the requests under way, so that an overloaded service refuses some early instead of answering all too late.
 * A place is taken when a request has arrived completely and its route is known, and given back by `AdmissionGuard`. A half-sent
 * request takes none.
 */
@Injectable()
export class Places {
  private readonly taken: Record<PlaceKind, number> = { runtimes: 0, bulk: 0, people: 0, open: 0 };
  private readonly ofAddresses = new Tally();
  private readonly perAddress: number;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    this.perAddress = settings.MAX_REQUESTS_IN_FLIGHT_PER_ADDRESS;
  }

  limitOf(kind: PlaceKind): number {
    return Math.ceil(this.settings.MAX_REQUESTS_IN_FLIGHT * PLACE_SHARES[kind]);
  }

  takenOf(kind: PlaceKind): number {
    return this.taken[kind];
  }

  /** The outcome that {@link take} would have; takes no place. */
  look(kind: PlaceKind, address: string): PlaceOutcome {
    if (this.taken[kind] >= this.limitOf(kind)) return 'all_full';
    return this.ofAddresses.of(address) >= this.perAddress ? 'address_full' : 'taken';
  }

  take(kind: PlaceKind, address: string): PlaceOutcome {
    const outcome = this.look(kind, address);
    if (outcome !== 'taken') return outcome;
    this.taken[kind]++;
    this.ofAddresses.add(address);
    return outcome;
  }

  giveBack(kind: PlaceKind, address: string): void {
    this.taken[kind]--;
    this.ofAddresses.remove(address);
  }
}
