import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import bcrypt from 'bcrypt';
import pLimit from 'p-limit';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { RateLimitedError, RefusedError, UnavailableError } from '../errors/domain-error.js';
import { ConcurrencyCounts } from '../http/concurrency-counts.js';
import { addressKey } from '../http/rate-limit/address-key.js';
import { fitsBcrypt, passwordRefusal } from './password-rules.js';
import { lowerThreadPoolPriority } from './thread-pool-priority.js';

/**
 * Maximum number of concurrent hashes. bcrypt runs in libuv's pool of four threads, which files and name look-ups use
 * too: half of it stays free.
 */
const CONCURRENCY = 2;
/**
 * Most passwords that are hashed or wait for it: six seconds of work at the usual cost. It is less than the slots that requests
 * without a credential have (`CONCURRENCY_SHARES`), so that forms are served while logins wait.
 */
const PLACES = 40;
/** Most of them for one client address, so that nobody alone keeps everybody else from logging in. */
const PLACES_OF_ADDRESS = 20;
const RETRY_SECONDS = 2;
const DIGEST_LENGTH = 31;

@Injectable()
export class Passwords implements OnModuleInit {
  private readonly limit = pLimit(CONCURRENCY);
  private readonly ofAddresses = new ConcurrencyCounts();
  private readonly cost: number;
  /**
   * A hash of no password: well-formed and with the configured cost, so that a comparison with it takes the usual time.
   */
  private readonly decoy: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cost = settings.BCRYPT_COST;
    this.decoy = bcrypt.genSaltSync(this.cost) + '.'.repeat(DIGEST_LENGTH);
  }

  async onModuleInit(): Promise<void> {
    await lowerThreadPoolPriority();
  }

  /**
   * Checks and hashes a password that a person chooses.
   *
   * @param email of the account, in its canonical form
   * @param address of the caller; null once the connection is closed
   * @throws RefusedError when it can't be used (everything that is wrong with it is named)
   * @throws RateLimitedError, UnavailableError when too many wait for their turn
   */
  async hashNew(password: string, email: string, address: string | null): Promise<string> {
    const refusal = passwordRefusal(password, email);
    if (refusal !== null) throw new RefusedError('password_refused', refusal);
    return this.inTurn(address, () => bcrypt.hash(password, this.cost));
  }

  /**
   * Takes as long whatever is wrong with it, an absent account included.
   *
   * @param storedHash undefined when there is no account: then it is false
   * @param address of the caller; null once the connection is closed
   * @throws RateLimitedError, UnavailableError when too many wait for their turn
   */
  async matches(password: string, storedHash: string | undefined, address: string | null): Promise<boolean> {
    const equal = await this.inTurn(address, () => bcrypt.compare(password, storedHash ?? this.decoy));
    return equal && storedHash !== undefined && fitsBcrypt(password);
  }

  private async inTurn<T>(address: string | null, work: () => Promise<T>): Promise<T> {
    const key = addressKey(address ?? '');
    if (this.ofAddresses.of(key) >= PLACES_OF_ADDRESS) {
      throw new RateLimitedError(
        `More than ${PLACES_OF_ADDRESS} passwords from this IP address are being checked at the same time: try again ` +
          'in a second',
        RETRY_SECONDS,
      );
    }
    if (this.limit.activeCount + this.limit.pendingCount >= PLACES) {
      throw new UnavailableError(
        'Too many people are logging in at the same time: try again in a second',
        RETRY_SECONDS,
        'overloaded',
      );
    }
    this.ofAddresses.add(key);
    try {
      return await this.limit(work);
    } finally {
      this.ofAddresses.remove(key);
    }
  }
}
