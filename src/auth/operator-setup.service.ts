import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import { isLoopback } from '../http-server/loopback.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { UsersService } from '../users/users.service.js';
import type { OperatorCondition } from '../users/user.types.js';
import { SigningKeys } from './signing-keys.js';

/**
 * Decides who may become the first operator. On the embedded database, if the service listens on loopback and
 * registration is open, it is the first account. Otherwise it is the account that registers with the setup token while
 * there is no operator.
 */
@Injectable()
export class OperatorSetupService implements OnApplicationBootstrap {
  constructor(
    private readonly keys: SigningKeys,
    private readonly users: UsersService,
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { SETUP_TOKEN, PASSWORD_LOGIN } = this.settings;
    if (SETUP_TOKEN !== '' || !PASSWORD_LOGIN || this.isOpenToTheFirst()) return;
    this.database.onceOpen(
      () => this.announce(),
      (error) =>
        this.logger.error({ err: error }, 'The setup token could not be logged; the next start tries again'),
    );
  }

  /** Returns true if the next account that is registered without the setup token becomes the operator. */
  async isForFirstAccount(): Promise<boolean> {
    return this.isOpenToTheFirst() && !(await this.users.hasAccounts());
  }

  /**
   * @param setupToken the token of the registration
   * @throws ForbiddenError if it is not the setup token, or if there is none and registration is closed
   */
  async conditionFor(setupToken: string | undefined): Promise<OperatorCondition> {
    if (setupToken === undefined) {
      // The first operator may register with the token even if registration is closed.
      if (!this.settings.ALLOW_REGISTRATION)
        throw new ForbiddenError('registration_closed', 'Registration is closed');
      return this.isOpenToTheFirst() ? 'first-account' : 'never';
    }
    if (!timingSafeEqual(hashOf(setupToken), hashOf(this.setupToken()))) {
      if (await this.users.hasOperator()) throw alreadySetUp();
      throw new ForbiddenError(
        'wrong_setup_token',
        'The setup token is wrong: use the value of SETUP_TOKEN, or the token that the service logged at its start',
      );
    }
    return 'no-operator';
  }

  /** `SETUP_TOKEN`, or a token that all instances derive from their common secret, so that nothing has to be stored. */
  private setupToken(): string {
    const derived = () =>
      createHmac('sha256', this.keys.current.key).update('setup token').digest('base64url');
    return this.settings.SETUP_TOKEN || derived();
  }

  private async announce(): Promise<void> {
    if (await this.users.hasOperator()) return;
    this.logger.warn(
      { setup_token: this.setupToken() },
      "There is no operator yet: register with this setup_token on the dashboard's page /sign-up?setup, or with " +
        'POST /auth/register',
    );
  }

  private isOpenToTheFirst(): boolean {
    const { embedded, HOST, ALLOW_REGISTRATION } = this.settings;
    return embedded && isLoopback(HOST) && ALLOW_REGISTRATION;
  }
}

export function alreadySetUp(): ForbiddenError {
  return new ForbiddenError(
    'operator_exists',
    'There is an operator already: register without a setup token',
  );
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
