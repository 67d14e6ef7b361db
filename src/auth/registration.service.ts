import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { accountOf, personWithoutKey } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Transaction } from '../database/transaction.js';
import { ForbiddenError } from '../errors/domain-error.js';
import type { NewAccount, OperatorCondition } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { alreadySetUp, OperatorSetupService } from './operator-setup.service.js';
import { Passwords } from './passwords.js';
import { SessionsService } from './sessions/sessions.service.js';
import type { TokenPair } from './tokens.service.js';

export interface RegistrationRequest {
  /** The email in its canonical form. */
  readonly email: string;
  readonly password: string;
  /** Empty means none. */
  readonly name?: string | null;
  readonly setupToken?: string;
}

export interface Registration {
  readonly account: NewAccount;
  readonly condition: OperatorCondition;
}

@Injectable()
export class RegistrationService {
  constructor(
    private readonly users: UsersService,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    private readonly setup: OperatorSetupService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Checks and hashes, before there is a transaction: hashing waits for its turn, and must hold no connection.
   *
   * @throws ForbiddenError when registration is closed, or the setup token is wrong
   * @throws RefusedError when the password can't be used (everything that is wrong with it is named)
   * @throws RateLimitedError, UnavailableError when too many wait for their turn
   */
  async prepare(request: RegistrationRequest, origin: RequestOrigin): Promise<Registration> {
    const { email, password, name, setupToken } = request;
    const condition = await this.setup.conditionFor(setupToken).catch((error: unknown) => {
      if (error instanceof ForbiddenError) this.refused(error, origin);
      throw error;
    });
    const passwordHash = await this.passwords.hashNew(password, email, origin.address);
    return { account: { email, passwordHash, name: name || null }, condition };
  }

  /**
   * Creates the account and opens its first session.
   *
   * @param registration see {@link prepare}
   * @throws RefusedError if the address is taken
   * @throws ForbiddenError if a setup token was given, and there is an operator already
   */
  async register(tx: Transaction, registration: Registration, origin: RequestOrigin): Promise<TokenPair> {
    const { account, condition } = registration;
    const user = await this.users.create(tx, account, condition);
    if (condition === 'no-operator' && !user.isAdmin) throw alreadySetUp();
    const details = { is_admin: user.isAdmin };
    await this.auditLog.write(
      tx,
      personWithoutKey(user.id, origin),
      'user.register',
      accountOf(user.id),
      details,
    );
    return this.sessions.openProven(tx, user.id, origin);
  }

  private refused({ message: reason }: ForbiddenError, origin: RequestOrigin): void {
    this.auditLog.refused({ kind: 'anonymous', origin }, 'user.register', accountOf(null), { reason });
  }
}
