import { Inject, Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import type { Transaction } from '../database/transaction.js';
import { ForbiddenError } from '../errors/domain-error.js';
import type { NewAccount, OperatorCondition } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { alreadySetUp, OperatorSetup } from './operator-setup.service.js';
import { Passwords } from './passwords.js';
import { SessionsService } from './sessions/sessions.service.js';
import type { TokenPair } from './tokens.service.js';

export interface RegistrationRequest {
  /** In its canonical form. */
  readonly email: string;
  readonly password: string;
  /** Empty is none. */
  readonly name?: string | null;
  readonly setupToken?: string;
}

/** A registration that has been checked. */
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
    private readonly setup: OperatorSetup,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Checks and hashes, before there is a transaction: hashing waits for its turn, and must hold no connection.
   *
   * @throws ForbiddenError when registration is closed, or the setup token is wrong
   * @throws RefusedError when the password can't be used (everything that is wrong with it is named)
   * @throws UnavailableError when too many people wait for their turn
   */
  async prepare({ email, password, name, setupToken }: RegistrationRequest): Promise<Registration> {
    const condition = await this.setup.conditionFor(setupToken);
    // The first operator may come in also where nobody else may register.
    if (!this.settings.ALLOW_REGISTRATION && condition !== 'no-operator') {
      throw new ForbiddenError('Registration is closed');
    }
    const passwordHash = await this.passwords.hashNew(password, email);
    return { account: { email, passwordHash, name: name || null }, condition };
  }

  /**
   * Creates the account and opens its first session.
   *
   * @param registration see {@link prepare}
   * @throws RefusedError when the address is taken
   * @throws ForbiddenError when a setup token was given, and there is an operator already
   */
  async register(tx: Transaction, registration: Registration, origin: RequestOrigin): Promise<TokenPair> {
    const { account, condition } = registration;
    const user = await this.users.create(tx, account, condition);
    if (condition === 'no-operator' && !user.isAdmin) throw alreadySetUp();
    return this.sessions.open(tx, user.id, origin);
  }
}
