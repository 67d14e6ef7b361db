import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import { ForbiddenError, UnauthenticatedError } from '../../errors/domain-error.js';
import { UsersService } from '../../users/users.service.js';
import { SessionGroupsService } from '../sso/session-groups.service.js';
import type { TokenPair } from '../tokens.service.js';
import { SessionsService } from './sessions.service.js';

@Injectable()
export class SessionRefreshesService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly users: UsersService,
    private readonly groups: SessionGroupsService,
  ) {}

  /**
   * Continues a session. Where groups of the identity provider give roles, the provider is asked for them, and what it says
   * holds before the reply.
   *
   * @throws UnauthenticatedError if the refresh token is not valid any more
   * @throws ForbiddenError if the account is deactivated
   */
  async refresh(refreshToken: string, origin: RequestOrigin): Promise<TokenPair> {
    const claims = this.sessions.readRefreshToken(refreshToken);
    const standing = claims && (await this.users.activeUser(claims.userId));
    if (!claims || !standing)
      throw new UnauthenticatedError('Invalid or expired refresh token', 'invalid_refresh_token');
    if (!standing.isActive) throw new ForbiddenError('account_deactivated', 'Account is deactivated');
    const tokens = await this.sessions.refresh(claims, origin);
    await this.groups.confirm(claims);
    return tokens;
  }
}
