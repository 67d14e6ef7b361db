import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { accountOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { ProjectMembersService } from '../projects/project-members.service.js';
import type { RoleInProject } from '../projects/project.types.js';
import type { User } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { AccountPasswordsService } from './account-passwords.service.js';
import type { PasswordLink } from './password-links/password-links.service.js';

export interface Invitation {
  readonly user: User;
  readonly link: PasswordLink;
}

export interface InvitedPerson {
  /** The email in its canonical form. */
  readonly email: string;
  readonly name: string | null;
  readonly projects: readonly RoleInProject[];
}

@Injectable()
export class InvitationsService {
  constructor(
    private readonly users: UsersService,
    private readonly passwords: AccountPasswordsService,
    private readonly members: ProjectMembersService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Creates an account without a password, a member of these projects.
   *
   * @throws RefusedError if the address is taken
   * @throws NotFoundError, ConflictError if one of the projects does not exist or is a personal one
   */
  async invite(
    tx: Transaction,
    operator: UserPrincipal,
    { email, name, projects }: InvitedPerson,
  ): Promise<Invitation> {
    const user = await this.users.create(tx, { email, name, passwordHash: null }, 'never');
    await this.auditLog.write(tx, operator, 'user.invite', accountOf(user.id));
    await this.members.addInvited(tx, operator, user.id, projects);
    return { user, link: await this.passwords.issueLink(tx, user.id) };
  }

  /**
   * Creates a link for an existing account, whose sessions end: a thief of one may be why the link is needed. Its
   * owner reads of it at the next sign-in. The password stays valid until the link is used.
   *
   * @throws NotFoundError
   */
  async issueReset(operator: UserPrincipal, userId: string): Promise<Invitation> {
    const link = await this.database.people.transaction(async (tx) => {
      await this.users.recordPasswordReset(tx, userId);
      await this.passwords.endAccess(tx, userId);
      await this.auditLog.write(tx, operator, 'user.reset_password', accountOf(userId));
      return this.passwords.issueLink(tx, userId);
    }, operator.userId);
    return { user: await this.users.get(userId), link };
  }
}
