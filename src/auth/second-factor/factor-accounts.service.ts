import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { accountOf } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import type { Transaction } from '../../database/transaction.js';
import { ConflictError } from '../../errors/domain-error.js';
import type { UserCredentials } from '../../users/user.types.js';
import { UsersService } from '../../users/users.service.js';
import { SessionProofsService } from '../sessions/session-proofs.service.js';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code-format.js';
import { RecoveryCodesRepository } from './recovery-codes.repository.js';
import type { ConfirmedFactor, SecondFactor } from './second-factor.types.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

const MAXIMUM_FACTORS = 10;

/** The consequences for an account when its factors change. Each change locks the account first. */
@Injectable()
export class FactorAccountsService {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly codes: RecoveryCodesRepository,
    private readonly users: UsersService,
    private readonly proofs: SessionProofsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Locks an account that gets one more factor.
   *
   * @throws ConflictError if it has no password, or as many factors as there can be
   */
  async lockForOneMore(tx: Transaction, userId: string): Promise<UserCredentials> {
    const account = await this.users.lock(tx, userId);
    if (account.passwordHash === null) {
      throw new ConflictError(
        'password_missing',
        'The account has no password: its identity provider asks for the second factor',
      );
    }
    if ((await this.factors.list(tx, userId)).length >= MAXIMUM_FACTORS) {
      throw new ConflictError(
        'limit_reached',
        `The account has ${MAXIMUM_FACTORS} second factors, the maximum: remove one first`,
      );
    }
    return account;
  }

  lock(tx: Transaction, userId: string): Promise<UserCredentials> {
    return this.users.lock(tx, userId);
  }

  /** With the first factor come the recovery codes, and the proofs of the account's other sessions end. */
  async add(
    tx: Transaction,
    caller: SessionPrincipal,
    account: UserCredentials,
    factor: SecondFactor,
  ): Promise<ConfirmedFactor> {
    const details = { kind: factor.kind, factor_id: factor.id };
    await this.auditLog.write(tx, caller, 'second_factor.add', accountOf(account.id), details);
    if (account.hasSecondFactor) return { factor, recoveryCodes: null };
    await this.users.setHasSecondFactor(tx, account.id, true);
    await this.proofs.proveAlone(tx, caller);
    return { factor, recoveryCodes: await this.renewCodes(tx, account.id) };
  }

  /** Replaces the recovery codes. @returns the codes, which are not stored */
  async renewCodes(tx: Transaction, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    await this.codes.replace(tx, userId, codes.map(recoveryCodeHash));
    return codes;
  }

  /** With the last factor the recovery codes go, too. */
  async forgetIfNoneIsLeft(tx: Transaction, userId: string): Promise<void> {
    if ((await this.factors.list(tx, userId)).length > 0) return;
    await this.codes.deleteOf(tx, userId);
    await this.users.setHasSecondFactor(tx, userId, false);
  }

  /** Removes all factors of a locked account. @returns how many there were */
  async removeAll(tx: Transaction, userId: string): Promise<number> {
    const removed = await this.factors.deleteOf(tx, userId);
    await this.forgetIfNoneIsLeft(tx, userId);
    return removed;
  }
}
