import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { Database } from '../database/database.js';
import { AccountPasswordsService } from './account-passwords.service.js';
import { PasswordLinksService } from './password-links/password-links.service.js';
import { Passwords } from './passwords.js';

/** Changes of passwords by those who have a one-time link. */
@Injectable()
export class PasswordResetsService {
  constructor(
    private readonly accounts: AccountPasswordsService,
    private readonly passwords: Passwords,
    private readonly links: PasswordLinksService,
    private readonly database: Database,
  ) {}

  /**
   * Sets the password of the account that a one-time link is for, and ends all of its sessions. The link stays good
   * where the password can't be used.
   *
   * @throws RefusedError when the link is not good any more, or the password can't be used
   */
  async reset(token: string, newPassword: string, origin: RequestOrigin): Promise<void> {
    const email = await this.links.emailOf(token);
    const hash = await this.passwords.hashNew(newPassword, email, origin.address);
    await this.database.people.transaction(async (tx) => {
      const userId = await this.links.use(tx, token);
      await this.accounts.replace(tx, userId, hash, { action: 'password.reset', origin });
    });
  }
}
