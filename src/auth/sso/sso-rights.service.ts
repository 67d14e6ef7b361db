import { Injectable } from '@nestjs/common';
import { accountOf } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import type { Transaction } from '../../database/transaction.js';
import { ForbiddenError } from '../../errors/domain-error.js';
import { GroupMembershipsService } from '../../projects/group-memberships.service.js';
import { UsersService } from '../../users/users.service.js';
import { SsoRules } from './sso-rules.js';
import type { ProvidedIdentity } from './sso.types.js';

/** The rights of a person after a sign-in, by the settings and the identity provider. */
@Injectable()
export class SsoRightsService {
  constructor(
    private readonly users: UsersService,
    private readonly groups: GroupMembershipsService,
    private readonly rules: SsoRules,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @throws ForbiddenError if the account is deactivated, or the sign-in is too weak */
  async grant(tx: Transaction, userId: string, identity: ProvidedIdentity): Promise<void> {
    this.rules.requireStrength(identity);
    // Before the lock on the account: of two logins that hold the shared lock, none could change the account.
    await this.promote(tx, userId, identity);
    if (!(await this.users.holdActive(tx, userId)))
      throw new ForbiddenError('account_deactivated', 'Account is deactivated');
    if (identity.groups !== null) await this.groups.follow(tx, userId, identity.groups);
  }

  /** Makes the account an operator's, if `ADMIN_EMAILS` contains its address and the account is not one yet. */
  private async promote(tx: Transaction, userId: string, identity: ProvidedIdentity): Promise<void> {
    if (!this.rules.isOperator(identity) || !(await this.users.promote(tx, userId))) return;
    const details = { is_admin: true, reason: 'ADMIN_EMAILS' };
    await this.auditLog.write(tx, { kind: 'service' }, 'user.update', accountOf(userId), details);
  }
}
