import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { accountOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import { UserStopsService } from '../deployments/user-stops.service.js';
import { InvalidError } from '../errors/domain-error.js';
import type { User, UserChange } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { AccountPasswordsService } from './account-passwords.service.js';

export interface AccountChange extends UserChange {
  /** Stops the account's agents too; only with a deactivation. */
  readonly stopAgents?: boolean;
}

@Injectable()
export class AccountsService {
  constructor(
    private readonly users: UsersService,
    private readonly passwords: AccountPasswordsService,
    private readonly stops: UserStopsService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Updates an account. Deactivation ends all its sessions permanently, and invalidates its one-time link.
   *
   * Its agents are stopped afterwards if the change asks for it, each in a separate transaction. If that fails part
   * way, a repetition of the change stops the rest.
   *
   * @throws NotFoundError
   * @throws InvalidError if agents are to be stopped without a deactivation
   * @throws ConflictError if no active operator would be left
   */
  async update(operator: UserPrincipal, id: string, change: AccountChange): Promise<User> {
    if (change.stopAgents && change.isActive !== false) {
      throw InvalidError.of('stop_agents', 'not_allowed', 'stop_agents requires is_active: false');
    }
    const user = await this.database.people.transaction(async (tx) => {
      const updated = await this.users.update(tx, id, change);
      if (change.isActive === false) await this.passwords.endAccess(tx, id);
      await this.auditLog.write(tx, operator, 'user.update', accountOf(id), {
        is_active: change.isActive,
        is_admin: change.isAdmin,
        stop_agents: change.stopAgents,
      });
      return updated;
    }, operator.userId);
    if (change.stopAgents) await this.stops.stopAgentsOf(operator, id);
    return user;
  }
}
