import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import { accountOf, personWithoutKey } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import type { Transaction } from '../../database/transaction.js';
import { ForbiddenError, RefusedError } from '../../errors/domain-error.js';
import { UsersService } from '../../users/users.service.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IdentityLinksService } from './identity-links.service.js';
import { SsoRules } from './sso-rules.js';
import type { ProvidedIdentity } from './sso.types.js';

@Injectable()
export class SsoAccountsService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly users: UsersService,
    private readonly links: IdentityLinksService,
    private readonly rules: SsoRules,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Finds the account by issuer and subject. A new identity is linked to the account of its verified address, if that
   * is allowed, or gets a new account.
   *
   * @returns the account's id
   * @throws ForbiddenError if it may have no account
   * @throws RefusedError if another request takes the address, or creates this identity, at the same moment: a second
   * attempt finds the account
   */
  async find(tx: Transaction, identity: ProvidedIdentity, origin: RequestOrigin): Promise<string> {
    const { email } = identity;
    // The address is read first: an account that is created between the two reads has its identity already.
    const sameAddress = email === null ? null : await this.users.findIdByEmail(tx, email);
    const known = await this.identities.findUserId(tx, identity);
    if (known !== null) return known;
    if (email === null)
      throw new ForbiddenError('email_missing', 'The identity provider gives no email address');
    const userId = sameAddress ?? (await this.create(tx, identity, email, origin));
    if (sameAddress !== null) {
      if (!this.rules.mayLink(identity)) {
        throw new ForbiddenError(
          'account_not_linked',
          'Another account has your email address: log in with its password, or ask an operator to link it',
        );
      }
      await this.links.link(tx, identity, userId, origin);
    }
    if (!(await this.identities.insert(tx, identity, userId))) {
      throw new RefusedError(
        'sign_in_expired',
        'The same person has logged in at the same moment: try again',
      );
    }
    return userId;
  }

  /** Makes the account an operator's, if `ADMIN_EMAILS` contains its address and it is none yet. */
  async promote(tx: Transaction, userId: string, identity: ProvidedIdentity): Promise<void> {
    if (!this.rules.isOperator(identity) || !(await this.users.promote(tx, userId))) return;
    const details = { is_admin: true, reason: 'ADMIN_EMAILS' };
    await this.auditLog.write(tx, { kind: 'service' }, 'user.update', accountOf(userId), details);
  }

  private async create(
    tx: Transaction,
    identity: ProvidedIdentity,
    email: string,
    origin: RequestOrigin,
  ): Promise<string> {
    const condition = await this.rules.conditionForNew(identity);
    const { id, isAdmin } = await this.users.create(
      tx,
      { email, name: identity.name, passwordHash: null },
      condition,
    );
    const details = { is_admin: isAdmin, issuer: identity.issuer };
    await this.auditLog.write(tx, personWithoutKey(id, origin), 'user.register', accountOf(id), details);
    return id;
  }
}
