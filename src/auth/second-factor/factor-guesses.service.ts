import { Injectable } from '@nestjs/common';
import { RateLimitedError } from '../../errors/domain-error.js';
import { RateLimits } from '../../http/rate-limit/rate-limits.js';
import type { UserCredentials } from '../../users/user.types.js';
import { PasswordGuessesService } from '../password-guesses.service.js';
import type { FactorAnswer } from './second-factor.types.js';

/** An answer that a person gives for an account. */
export interface FactorGuess {
  readonly account: UserCredentials;
  readonly answer: FactorAnswer;
  /** IP address of the caller; null once the connection is closed. */
  readonly address: string | null;
}

/**
 * Limits wrong answers. They count as wrong passwords do. One-time codes have a limit a day besides: they are short, so that a person
 * who knows the password would find one in a week. Past it a passkey or a recovery code still helps the owner, because
 * nobody guesses these.
 */
@Injectable()
export class FactorGuessesService {
  constructor(
    private readonly guesses: PasswordGuessesService,
    private readonly limits: RateLimits,
  ) {}

  /**
   * @param check of the answer; null, or an error, counts as a wrong one
   * @throws RateLimitedError past a limit, before the check
   */
  attempt<Proven>(guess: FactorGuess, check: () => Promise<Proven | null>): Promise<Proven | null> {
    const { account, answer, address } = guess;
    return this.guesses.limited({ email: account.email, account, address }, () =>
      answer.method === 'totp' ? this.withinDay(account.id, check) : check(),
    );
  }

  private async withinDay<Proven>(
    userId: string,
    check: () => Promise<Proven | null>,
  ): Promise<Proven | null> {
    const { exceeded, resetSeconds } = await this.limits.count('second_factor', 'account', userId);
    if (exceeded) {
      throw new RateLimitedError(
        'Too many wrong codes for this account: use a passkey or a recovery code',
        resetSeconds,
      );
    }
    const proven = await check();
    if (proven !== null) await this.limits.forgive('second_factor', 'account', userId);
    return proven;
  }
}
