import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { accountOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import { SecondFactorRequiredError } from '../errors/second-factor-required.js';
import { ForbiddenError, UnauthenticatedError } from '../errors/domain-error.js';
import { UsersService } from '../users/users.service.js';
import { PasswordGuessesService } from './password-guesses.service.js';
import { SecondFactorLoginsService } from './second-factor/second-factor-logins.service.js';
import type { TokenPair } from './tokens.service.js';

const DEACTIVATED = 'Account is deactivated';
const WRONG = 'Invalid email or password';

@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersService,
    private readonly guesses: PasswordGuessesService,
    private readonly logins: SecondFactorLoginsService,
    private readonly auditLog: AuditLogService,
    private readonly database: Database,
  ) {}

  /**
   * Logs a person in.
   *
   * @param email in its canonical form
   * @throws UnauthenticatedError if address and password don't match
   * @throws ForbiddenError if they match and the account is deactivated
   * @throws SecondFactorRequiredError if they match, and the account has a second factor: nobody else learns that it has
   * @throws RateLimitedError past a limit of wrong passwords
   */
  async login(email: string, password: string, origin: RequestOrigin): Promise<TokenPair> {
    const account = (await this.users.findCredentialsByEmail(email)) ?? undefined;
    const target = accountOf(account?.id ?? null);
    const refused = (reason: string) =>
      this.auditLog.refused({ kind: 'anonymous', origin }, 'user.login', target, { reason });
    const isRight = await this.guesses.isRight({ email, account, password, address: origin.address });
    if (!account?.passwordHash || !isRight) {
      // The log entry does not contain the address, because people sometimes type their password there.
      refused(account ? 'Wrong password' : 'Unknown address');
      throw new UnauthenticatedError(WRONG, 'invalid_credentials');
    }
    if (!account.isActive) {
      refused(DEACTIVATED);
      throw new ForbiddenError('account_deactivated', DEACTIVATED);
    }
    const { id, passwordHash } = account;
    const step = await this.database.people.transaction(async (tx) => {
      // The account was deactivated or its password changed during the check.
      if (!(await this.users.holdActive(tx, id, passwordHash)))
        throw new UnauthenticatedError(WRONG, 'invalid_credentials');
      return this.logins.begin(tx, id, origin);
    }, id);
    if ('tokens' in step) return step.tokens;
    // Thrown after the commit, because a throw inside would roll the question back.
    throw new SecondFactorRequiredError(step.question);
  }
}
