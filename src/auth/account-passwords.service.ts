import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import type { UserCredentials } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { PasswordLinksService } from './password-links/password-links.service.js';
import { SessionsService } from './sessions/sessions.service.js';

/** The password of an account, and what ends with it: its one-time link, and sessions. */
@Injectable()
export class AccountPasswords {
  constructor(
    private readonly users: UsersService,
    private readonly links: PasswordLinksService,
    private readonly sessions: SessionsService,
  ) {}

  /** @returns null when there is no such account */
  find(userId: string): Promise<UserCredentials | null> {
    return this.users.findCredentials(userId);
  }

  /**
   * Replaces the password, ends the account's sessions, and makes its one-time link worthless.
   *
   * @param current the hash that was checked and the session that goes on; absent: whichever, and none
   * @returns false where the password has been replaced meanwhile
   */
  async replace(
    tx: Transaction,
    userId: string,
    hash: string,
    current?: { readonly hash: string; readonly sessionId: string },
  ): Promise<boolean> {
    if (!(await this.users.setPassword(tx, userId, hash, current?.hash))) return false;
    await this.links.discard(tx, userId);
    await this.sessions.endAll(tx, userId, current?.sessionId);
    return true;
  }
}
