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
   * Finds the account by issuer and subject. A new identity is linked to the account of its verified address, if that is
   * allowed, or gets a new account. Without a verified address it gets neither: its account
   * would be that of the address in everybody's eyes, and the owner of the address would be linked to it.
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
    this.rules.requireStrength(identity);
    if (email === null)
      throw new ForbiddenError(
        'email_missing',
        'The identity provider sends no email address: ask an operator',
      );
    if (sameAddress !== null) await this.link(tx, identity, sameAddress, origin);
    const userId = sameAddress ?? (await this.create(tx, identity, email, origin));
    if (!(await this.identities.insert(tx, identity, userId))) {
      throw new RefusedError('sign_in_expired', 'The same person logged in at the same time: try again');
    }
    return userId;
  }

  /** A refusal is in the audit log. @throws ForbiddenError where the settings or the account's other identities forbid it */
  private async link(
    tx: Transaction,
    identity: ProvidedIdentity,
    userId: string,
    origin: RequestOrigin,
  ): Promise<void> {
    try {
      await this.requireNoOther(tx, identity, userId);
      this.rules.requireLinking(identity);
      await this.links.link(tx, identity, userId, origin);
      // The check is repeated after the link, which waits for a link of the same account that is under way: without it, two
      // people who sign in at once with the same address would share the account.
      await this.requireNoOther(tx, identity, userId);
    } catch (error) {
      if (error instanceof ForbiddenError) {
        const details = { issuer: identity.issuer, reason: error.message };
        this.auditLog.refused({ kind: 'anonymous', origin }, 'identity.link', accountOf(userId), details);
      }
      throw error;
    }
  }

  /**
   * Two people of one provider are two people, whatever their address is: the mailbox of a person who has left is given to
   * another person.
   */
  private async requireNoOther(tx: Transaction, identity: ProvidedIdentity, userId: string): Promise<void> {
    if (!(await this.identities.hasAnother(tx, identity, userId))) return;
    throw new ForbiddenError(
      'account_not_linked',
      'Your email address belonged to another person at this identity provider: ask an operator',
    );
  }

  private async create(
    tx: Transaction,
    identity: ProvidedIdentity,
    email: string,
    origin: RequestOrigin,
  ): Promise<string> {
    this.rules.requireVerified(identity);
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
