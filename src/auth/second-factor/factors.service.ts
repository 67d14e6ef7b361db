import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { accountOf } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { Database } from '../../database/database.js';
import { ConflictError, NotFoundError } from '../../errors/domain-error.js';
import { FactorAccountsService } from './factor-accounts.service.js';
import { RecoveryCodesRepository } from './recovery-codes.repository.js';
import type { SecondFactor } from './second-factor.types.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

/** The caller's own factors and recovery codes. */
@Injectable()
export class FactorsService {
  constructor(
    private readonly accounts: FactorAccountsService,
    private readonly factors: SecondFactorsRepository,
    private readonly codes: RecoveryCodesRepository,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  async list(
    userId: string,
  ): Promise<{ readonly factors: readonly SecondFactor[]; readonly codesLeft: number }> {
    const { manager } = this.database.people;
    return {
      factors: await this.factors.list(manager, userId),
      codesLeft: await this.codes.count(manager, userId),
    };
  }

  /** @throws NotFoundError */
  async remove(caller: SessionPrincipal, id: string): Promise<void> {
    const { userId } = caller;
    await this.database.people.transaction(async (tx) => {
      await this.accounts.lock(tx, userId);
      const kind = await this.factors.delete(tx, userId, id);
      if (kind === null) throw new NotFoundError('Second factor');
      await this.accounts.forgetIfNoneIsLeft(tx, userId);
      const details = { kind, factor_id: id };
      await this.auditLog.write(tx, caller, 'second_factor.remove', accountOf(userId), details);
    }, userId);
  }

  /** @returns new recovery codes, which replace those before @throws ConflictError without a factor */
  async renewCodes(caller: SessionPrincipal): Promise<string[]> {
    const { userId } = caller;
    return this.database.people.transaction(async (tx) => {
      const { hasSecondFactor } = await this.accounts.lock(tx, userId);
      if (!hasSecondFactor) {
        throw new ConflictError(
          'second_factor_missing',
          'Recovery codes need a second factor, and the account has none: add one first',
        );
      }
      await this.auditLog.write(tx, caller, 'recovery_code.renew', accountOf(userId));
      return this.accounts.renewCodes(tx, userId);
    }, userId);
  }
}
