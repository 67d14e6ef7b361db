import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import bcrypt from 'bcrypt';
import pLimit from 'p-limit';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { RefusedError, UnavailableError } from '../errors/domain-error.js';
import { fitsBcrypt, passwordRefusal } from './password-rules.js';
import { lowerThreadPoolPriority } from './thread-pool-priority.js';

/** bcrypt runs in libuv's pool of four threads, where file and name look-ups wait too: half of it stays free. */
const CONCURRENCY = 2;
/** Past this nobody would be answered before having given up. */
const MAXIMUM_WAITING = 200;
const DIGEST_LENGTH = 31;

@Injectable()
export class Passwords implements OnModuleInit {
  private readonly limit = pLimit(CONCURRENCY);
  private readonly cost: number;
  /** Nobody's: well-formed and of the configured cost, so that checking against it takes as long as any. */
  private readonly decoy: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cost = settings.BCRYPT_COST;
    this.decoy = bcrypt.genSaltSync(this.cost) + '.'.repeat(DIGEST_LENGTH);
  }

  async onModuleInit(): Promise<void> {
    await lowerThreadPoolPriority();
  }

  /**
   * Checks and hashes a password that somebody chooses.
   *
   * @param email of the account, in its canonical form
   * @throws RefusedError when it can't be used (everything that is wrong with it is named)
   * @throws UnavailableError when too many people wait for their turn
   */
  async hashNew(password: string, email: string): Promise<string> {
    const refusal = passwordRefusal(password, email);
    if (refusal !== null) throw new RefusedError('password_refused', refusal);
    return this.hash(password);
  }

  /** @param password of at most 72 bytes; the rules are for the caller to have checked */
  async hash(password: string): Promise<string> {
    return this.inTurn(() => bcrypt.hash(password, this.cost));
  }

  /**
   * Takes as long whatever is wrong with it, an absent account included.
   *
   * @param storedHash undefined when there is no account: then it is false
   */
  async matches(password: string, storedHash: string | undefined): Promise<boolean> {
    const equal = await this.inTurn(() => bcrypt.compare(password, storedHash ?? this.decoy));
    return equal && storedHash !== undefined && fitsBcrypt(password);
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= MAXIMUM_WAITING) {
      throw new UnavailableError('Too many people are logging in at once', 2, 'overloaded');
    }
    return this.limit(work);
  }
}
