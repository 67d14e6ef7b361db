import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { accountOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { LeadsService } from '../leads/leads.service.js';
import { NewsletterService } from '../newsletter/newsletter.service.js';
import { AccountProjectsService } from '../projects/account-projects.service.js';
import type { UserCredentials } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { AccountPasswordsService } from './account-passwords.service.js';

/** Services that delete what goes with an account, and with its address. */
@Injectable()
export class AccountBelongings {
  constructor(
    private readonly passwords: AccountPasswordsService,
    private readonly leads: LeadsService,
    private readonly newsletter: NewsletterService,
  ) {}

  async delete(tx: Transaction, { id, email }: Pick<UserCredentials, 'id' | 'email'>): Promise<void> {
    await this.passwords.endAccess(tx, id);
    await this.leads.deleteOf(tx, email);
    await this.newsletter.unsubscribe(tx, email);
  }
}

@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly users: UsersService,
    private readonly projects: AccountProjectsService,
    private readonly belongings: AccountBelongings,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Deletes an account with the data about its person. Records of others and the audit log keep `user:<id>`, which
   * leads to nobody then; a job erases what else the log says of the person.
   *
   * @throws NotFoundError
   * @throws ConflictError if its personal project has agents, a shared one would have no owner, or the service no operator
   */
  async delete(operator: UserPrincipal, userId: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      await this.projects.leaveAll(tx, operator, userId);
      await this.belongings.delete(tx, await this.users.lockForDeletion(tx, userId));
      await this.users.delete(tx, userId);
      await this.auditLog.write(tx, operator, 'user.delete', accountOf(userId));
    }, operator.userId);
  }
}
