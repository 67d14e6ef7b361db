import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { accountOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import { RefusedError } from '../errors/domain-error.js';
import { AccountPasswordsService } from './account-passwords.service.js';
import { PasswordLinksService } from './password-links/password-links.service.js';
import { Passwords } from './passwords.js';

/** Changes the passwords of people who have a one-time link. */
@Injectable()
export class PasswordResetsService {
  constructor(
    private readonly accounts: AccountPasswordsService,
    private readonly passwords: Passwords,
    private readonly links: PasswordLinksService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Sets the password of a link's account, and ends all of its sessions. The link stays valid if the password is
   * refused.
   *
   * @throws RefusedError if the link is not valid any more, or the password is not allowed
   */
  async reset(token: string, newPassword: string, origin: RequestOrigin): Promise<void> {
    const email = await this.emailOf(token, origin);
    const hash = await this.passwords.hashNew(newPassword, email, origin.address);
    await this.database.people.transaction(async (tx) => {
      const userId = await this.links.use(tx, token);
      await this.accounts.replace(tx, userId, hash, { action: 'password.reset', origin });
    });
  }

  private async emailOf(token: string, origin: RequestOrigin): Promise<string> {
    try {
      return await this.links.emailOf(token);
    } catch (error) {
      if (error instanceof RefusedError) {
        const details = { reason: error.message };
        this.auditLog.refused({ kind: 'anonymous', origin }, 'password.reset', accountOf(null), details);
      }
      throw error;
    }
  }
}
