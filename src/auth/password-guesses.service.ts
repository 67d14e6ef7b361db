import { Injectable } from '@nestjs/common';
import { RateLimitedError } from '../errors/domain-error.js';
import { addressKey } from '../http/rate-limit/address-key.js';
import { RateLimits } from '../http/rate-limit/rate-limits.js';
import type { UserCredentials } from '../users/user.types.js';
import { pseudonymOf } from './accounts-of-requests.js';
import { Passwords } from './passwords.js';
import { SessionsService } from './sessions/sessions.service.js';

/** The account whose password or code is guessed, and the address of the guesses. */
export interface Guess {
  /** The email in its canonical form. */
  readonly email: string;
  /** Undefined if there is no account with this address. */
  readonly account: UserCredentials | undefined;
  /** IP address of the caller; null once the connection is closed. */
  readonly address: string | null;
}

export interface PasswordGuess extends Guess {
  readonly password: string;
}

/**
 * Checks passwords, and limits wrong ones. Wrong ones are counted by account and address together, so that an attacker
 * elsewhere can not lock the owner out. A wider limit counts those of an account from all addresses; past it only
 * addresses of the account's open sessions may continue.
 */
@Injectable()
export class PasswordGuessesService {
  constructor(
    private readonly limits: RateLimits,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Takes as long whatever is wrong, an absent account included.
   *
   * @returns whether the password is the account's
   * @throws RateLimitedError past a limit, before the password is checked
   * @throws UnavailableError when too many wait for their turn
   */
  async isRight(guess: PasswordGuess): Promise<boolean> {
    const { account, password, address } = guess;
    const isRight = await this.limited(guess, async () =>
      (await this.passwords.matches(password, account?.passwordHash ?? undefined, address)) ? true : null,
    );
    return isRight ?? false;
  }

  /**
   * Counts a guess, and carries it out.
   *
   * @param attempt null, or an error, counts as a wrong guess
   * @throws RateLimitedError past a limit, before the attempt
   */
  async limited<Result>(guess: Guess, attempt: () => Promise<Result | null>): Promise<Result | null> {
    const account = pseudonymOf(guess.email);
    const pair = `${account} ${addressKey(guess.address ?? '')}`;
    // Each guess is counted before the check, or concurrent guesses would not count.
    const here = await this.limits.count('password', 'account_at_address', pair);
    if (here.exceeded) {
      throw new RateLimitedError(
        'Too many wrong passwords for this account from this address',
        here.resetSeconds,
      );
    }
    const everywhere = await this.limits.count('password', 'account', account);
    if (everywhere.exceeded && !(await this.isKnownAddress(guess))) {
      throw new RateLimitedError('Too many wrong passwords for this account', everywhere.resetSeconds);
    }
    const result = await attempt();
    if (result === null) return null;
    await this.limits.forgive('password', 'account_at_address', pair);
    await this.limits.forgive('password', 'account', account);
    return result;
  }

  private async isKnownAddress({ account, address }: Guess): Promise<boolean> {
    return account !== undefined && address !== null && this.sessions.hasAddress(account.id, address);
  }
}
