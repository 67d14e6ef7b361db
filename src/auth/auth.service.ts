import { Inject, Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/principal.js';
import { accountOf } from '../audit-log/account-of.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { AuditedParty } from '../audit-log/audit-log.types.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import type { Transaction } from '../database/transaction.js';
import { ForbiddenError, RefusedError, UnauthenticatedError } from '../errors/domain-error.js';
import type { Registration } from '../users/user.types.js';
import { UsersService } from '../users/users.service.js';
import { brokenPasswordRules } from './password-rules.js';
import { Passwords } from './passwords.js';
import { type TokenPair, TokensService } from './tokens.service.js';

export interface RegistrationRequest {
  readonly email: string;
  readonly password: string;
  /** Empty is none. */
  readonly name?: string | null;
}

const DEACTIVATED = 'Account is deactivated';

@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersService,
    private readonly passwords: Passwords,
    private readonly tokens: TokensService,
    private readonly auditLog: AuditLogService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Checks and hashes, before there is a transaction: hashing waits for its turn, and must hold no connection.
   *
   * @throws ForbiddenError when registration is closed
   * @throws RefusedError when the password breaks rules (all are named)
   * @throws UnavailableError when too many people wait for their turn
   */
  async prepare(request: RegistrationRequest, origin: RequestOrigin): Promise<Registration> {
    if (!this.settings.ALLOW_REGISTRATION) {
      const reason = 'Registration is closed';
      this.auditLog.refused({ kind: 'anonymous', origin }, 'user.register', accountOf(null), { reason });
      throw new ForbiddenError(reason);
    }
    const broken = brokenPasswordRules(request.password);
    if (broken.length > 0) throw new RefusedError(`The password must have ${broken.join(', ')}`);
    const passwordHash = await this.passwords.hash(request.password);
    return { email: request.email, passwordHash, name: request.name || null };
  }

  /**
   * @param registration see {@link prepare}
   * @throws RefusedError when the address is taken
   */
  async register(tx: Transaction, registration: Registration, origin: RequestOrigin): Promise<TokenPair> {
    const user = await this.users.register(tx, registration);
    await this.auditLog.write(tx, person(user.id, origin), 'user.register', accountOf(user.id), {
      is_admin: user.isAdmin,
    });
    return this.tokens.issue(user.id);
  }

  /**
   * @throws UnauthenticatedError when address and password don't belong together
   * @throws ForbiddenError when they do, and the account is deactivated
   */
  async login(email: string, password: string, origin: RequestOrigin): Promise<TokenPair> {
    const account = await this.users.findCredentials(email);
    const target = accountOf(account?.id ?? null);
    const refused = (reason: string) =>
      this.auditLog.refused({ kind: 'anonymous', origin }, 'user.login', target, { reason });
    const matches = await this.passwords.matches(password, account?.passwordHash);
    if (!account || !matches) {
      // The address is left out: people type their password there.
      refused(account ? 'Wrong password' : 'Unknown address');
      throw new UnauthenticatedError('Invalid email or password');
    }
    if (!account.isActive) {
      refused(DEACTIVATED);
      throw new ForbiddenError(DEACTIVATED);
    }
    await this.auditLog.record(person(account.id, origin), 'user.login', target);
    return this.tokens.issue(account.id);
  }

  /**
   * @throws UnauthenticatedError when it is not a refresh token that is still good
   * @throws ForbiddenError when the account is deactivated
   */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const userId = this.tokens.userOfRefreshToken(refreshToken);
    const standing = userId && (await this.users.activeUser(userId));
    if (!userId || !standing) throw new UnauthenticatedError('Invalid or expired refresh token');
    if (!standing.isActive) throw new ForbiddenError(DEACTIVATED);
    return this.tokens.issue(userId);
  }
}

function person(userId: string, origin: RequestOrigin): AuditedParty {
  return { kind: 'user', userId, keyId: null, origin };
}
