import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { accountOf, personWithoutKey } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Transaction } from '../database/transaction.js';
import type { UserCredentials } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { type PasswordLink, PasswordLinksService } from './password-links/password-links.service.js';
import { FactorChallengesService } from './second-factor/factor-challenges.service.js';
import { SessionsService } from './sessions/sessions.service.js';

/** Replaces passwords, together with the one-time links and sessions that end with them. */
@Injectable()
export class AccountPasswordsService {
  constructor(
    private readonly users: UsersService,
    private readonly links: PasswordLinksService,
    private readonly sessions: SessionsService,
    private readonly challenges: FactorChallengesService,
    private readonly auditLog: AuditLogService,
  ) {}

  find(userId: string): Promise<UserCredentials | null> {
    return this.users.findCredentials(userId);
  }

  /**
   * Replaces the password, ends the account's sessions, and invalidates its one-time link.
   *
   * @param act the action for the audit log
   * @param current the hash that was checked and the session that stays open; absent: any hash, and no session
   * @returns false if the password has been replaced in the meantime
   */
  async replace(
    tx: Transaction,
    userId: string,
    hash: string,
    act: { readonly action: 'password.change' | 'password.reset'; readonly origin: RequestOrigin },
    current?: { readonly hash: string; readonly sessionId: string },
  ): Promise<boolean> {
    if (!(await this.users.setPassword(tx, userId, hash, current?.hash))) return false;
    await this.endAccess(tx, userId, current?.sessionId);
    await this.auditLog.write(tx, personWithoutKey(userId, act.origin), act.action, accountOf(userId));
    return true;
  }

  /** Records that a person in the account's session gave a wrong current password. */
  recordWrong(userId: string, origin: RequestOrigin, reason: string): void {
    this.auditLog.refused(personWithoutKey(userId, origin), 'password.change', accountOf(userId), { reason });
  }

  /** Creates a one-time link to set the password; it replaces an earlier link. */
  issueLink(tx: Transaction, userId: string): Promise<PasswordLink> {
    return this.links.issue(tx, userId);
  }

  /**
   * Ends the account's sessions and logins that wait for a second factor permanently, and invalidates its one-time link.
   *
   * @param exceptSessionId the session that stays open; absent: none
   */
  async endAccess(tx: Transaction, userId: string, exceptSessionId?: string): Promise<void> {
    await this.links.discard(tx, userId);
    await this.challenges.discard(tx, userId);
    await this.sessions.endAll(tx, userId, exceptSessionId);
  }
}
