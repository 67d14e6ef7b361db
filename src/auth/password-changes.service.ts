import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { Database } from '../database/database.js';
import { RefusedError } from '../errors/domain-error.js';
import { AccountPasswordsService } from './account-passwords.service.js';
import { PasswordGuessesService } from './password-guesses.service.js';
import { Passwords } from './passwords.js';
import { SessionsService } from './sessions/sessions.service.js';
import type { TokenPair } from './tokens.service.js';

const WRONG = 'The current password is wrong';

/** Changes the passwords of people who know the old one. */
@Injectable()
export class PasswordChangesService {
  constructor(
    private readonly accounts: AccountPasswordsService,
    private readonly passwords: Passwords,
    private readonly guesses: PasswordGuessesService,
    private readonly sessions: SessionsService,
    private readonly database: Database,
  ) {}

  /**
   * Replaces the password, and ends all of the account's sessions but the current one.
   *
   * @returns new tokens of the current session
   * @throws RefusedError if the current password is wrong, or the new one is not allowed
   * @throws RateLimitedError past a limit of wrong passwords
   * @throws UnauthenticatedError if the session ends in the meantime
   */
  async change(
    caller: { readonly userId: string; readonly sessionId: string },
    change: { readonly currentPassword: string; readonly newPassword: string },
    origin: RequestOrigin,
  ): Promise<TokenPair> {
    const { userId, sessionId } = caller;
    const account = await this.accounts.find(userId);
    const guess = {
      email: account?.email ?? '',
      account: account ?? undefined,
      password: change.currentPassword,
    };
    if (!(await this.guesses.isRight({ ...guess, address: origin.address })) || !account?.passwordHash) {
      this.accounts.recordWrong(userId, origin, WRONG);
      throw new RefusedError('wrong_password', WRONG);
    }
    const { passwordHash } = account;
    const hash = await this.passwords.hashNew(change.newPassword, account.email, origin.address);
    return this.database.people.transaction(async (tx) => {
      // Another request has replaced the password since it was checked.
      const act = { action: 'password.change', origin } as const;
      const current = { hash: passwordHash, sessionId };
      const isReplaced = await this.accounts.replace(tx, userId, hash, act, current);
      if (!isReplaced) throw new RefusedError('wrong_password', WRONG);
      return this.sessions.renew(tx, userId, sessionId);
    }, userId);
  }
}
