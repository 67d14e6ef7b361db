import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import { accountOf } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { RecentCalls } from '../../audit-log/recent-calls.js';
import { ForbiddenError, UnauthenticatedError } from '../../errors/domain-error.js';
import { UsersService } from '../../users/users.service.js';
import { SignInProofsService } from '../sso/sign-in-proofs.service.js';
import { SessionGroupsService } from '../sso/session-groups.service.js';
import type { TokenPair } from '../tokens.service.js';
import { SessionsService } from './sessions.service.js';

const NOT_GOOD = 'Invalid or expired refresh token';

@Injectable()
export class SessionRefreshesService {
  private readonly refused = new RecentCalls();

  constructor(
    private readonly sessions: SessionsService,
    private readonly users: UsersService,
    private readonly groups: SessionGroupsService,
    private readonly proofs: SignInProofsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Continues a session. Where groups of the identity provider give roles, the provider is asked for them, and its
   * answer applies before the reply.
   *
   * @throws UnauthenticatedError if the refresh token is not valid any more
   * @throws ForbiddenError if the account is deactivated
   */
  async refresh(refreshToken: string, origin: RequestOrigin): Promise<TokenPair> {
    try {
      return await this.attempt(refreshToken, origin);
    } catch (error) {
      if (error instanceof UnauthenticatedError || error instanceof ForbiddenError)
        this.record(refreshToken, origin, error.message);
      throw error;
    }
  }

  private async attempt(refreshToken: string, origin: RequestOrigin): Promise<TokenPair> {
    const claims = this.sessions.readRefreshToken(refreshToken);
    const standing = claims && (await this.users.activeUser(claims.userId));
    if (!claims || !standing) throw new UnauthenticatedError(NOT_GOOD, 'invalid_refresh_token');
    if (!standing.isActive) throw new ForbiddenError('account_deactivated', 'Account is deactivated');
    await this.proofs.require(claims);
    const tokens = await this.sessions.refresh(claims, origin);
    await this.proofs.keep(claims, () => this.groups.confirm(claims));
    return tokens;
  }

  /** Records a refusal, once a minute for each address and account: a program in a loop must not fill the log. */
  private record(refreshToken: string, origin: RequestOrigin, reason: string): void {
    const userId = this.sessions.readRefreshToken(refreshToken)?.userId ?? null;
    if (this.refused.isRepeated([origin.address, userId])) return;
    const party = { kind: 'anonymous', origin } as const;
    this.auditLog.refused(party, 'session.refresh', accountOf(userId), { reason });
  }
}
