import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../../access/principal.js';
import { accountOf } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { Database } from '../../database/database.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { FactorAccountsService } from './factor-accounts.service.js';
import { FactorChallengesService } from './factor-challenges.service.js';

/** The way back in for people who have lost their factors and their recovery codes. */
@Injectable()
export class LostFactorsService {
  constructor(
    private readonly accounts: FactorAccountsService,
    private readonly challenges: FactorChallengesService,
    private readonly sessions: SessionsService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Removes all factors of an account, and ends its sessions: a thief may have added the factors. @throws NotFoundError */
  async removeAll(operator: UserPrincipal, userId: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      await this.accounts.lock(tx, userId);
      const removed = await this.accounts.removeAll(tx, userId);
      await this.challenges.discard(tx, userId);
      await this.sessions.endAll(tx, userId);
      const details = { removed };
      await this.auditLog.write(tx, operator, 'user.remove_factors', accountOf(userId), details);
    }, operator.userId);
  }
}
