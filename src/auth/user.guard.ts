import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import type { RouteAccess } from '../access/route-access.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { ForbiddenError, UnauthenticatedError } from '../errors/domain-error.js';
import { UsersService } from '../users/users.service.js';
import { declaredAccess } from '../access/declared-access.js';
import { type PresentedCredential, presentedCredential } from './presented-credential.js';
import { TokensService } from './tokens.service.js';

/** Lets people through, known by an access token or by a user API key. */
@Injectable()
export class UserGuard implements CanActivate {
  constructor(
    private readonly tokens: TokensService,
    private readonly apiKeys: ApiKeysService,
    private readonly users: UsersService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = declaredAccess(context);
    // The application does not start with such a route; see RouteDeclarations.
    if (!access) throw new ForbiddenError('Nobody may call this route');
    if (access.callers !== 'user' && access.callers !== 'agent-or-user') return true;
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const credential = presentedCredential(request.headers);
    // Where both kinds may call, an agent's key is for the other guard; anything else, and nothing, is for this.
    if (access.callers === 'agent-or-user' && this.isAgentKey(credential)) return true;
    request.principal = await this.admit(credential, access);
    request.recheck = async () => {
      await this.admit(credential, access);
    };
    return true;
  }

  private async admit(credential: PresentedCredential | null, access: RouteAccess): Promise<UserPrincipal> {
    const principal = await this.identify(credential);
    if (access.callers === 'user') requireRights(principal, access);
    return principal;
  }

  private isAgentKey(credential: PresentedCredential | null): boolean {
    return credential?.sentAs === 'bearer' && this.apiKeys.kindOf(credential.text) === 'agent';
  }

  private async identify(credential: PresentedCredential | null): Promise<UserPrincipal> {
    const known = credential && (await this.resolve(credential));
    const standing = known && (await this.users.activeUser(known.userId));
    if (!known || !standing) throw new UnauthenticatedError();
    if (!standing.isActive) throw new ForbiddenError('Account is deactivated');
    return { kind: 'user', userId: known.userId, isAdmin: standing.isAdmin, credential: known.credential };
  }

  private async resolve({
    sentAs,
    text,
  }: PresentedCredential): Promise<Pick<UserPrincipal, 'userId' | 'credential'> | null> {
    if (sentAs === 'x-api-key' || this.apiKeys.kindOf(text) !== null) {
      const holder = await this.apiKeys.authenticate(text);
      return holder?.kind === 'user' ? { userId: holder.userId, credential: 'api_key' } : null;
    }
    const userId = this.tokens.userOfAccessToken(text);
    return userId === null ? null : { userId, credential: 'token' };
  }
}

function requireRights(principal: UserPrincipal, access: Extract<RouteAccess, { callers: 'user' }>): void {
  // A leaked key must not be able to make more keys, or to lock its owner out.
  if (access.tokenOnly && principal.credential !== 'token') throw new UnauthenticatedError();
  if (access.operator && !principal.isAdmin) throw new ForbiddenError('Operators only');
}
