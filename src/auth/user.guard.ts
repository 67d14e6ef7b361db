import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { requestOf, responseOf } from '../access/http-context.js';
import type { RouteAccess } from '../access/route-access.js';
import { grants } from '../access/scopes.js';
import type { ProjectKeyHolder } from '../api-keys/api-key.types.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { ForbiddenError, UnauthenticatedError } from '../errors/domain-error.js';
import { originOf } from '../http/request-origin.js';
import { MembershipsService } from '../projects/memberships.service.js';
import { UsersService } from '../users/users.service.js';
import { declaredAccess } from '../access/declared-access.js';
import { ACCESS_TOKEN, type CredentialOwner, type TokenOwner } from './access-token.strategy.js';
import { type PresentedCredential, presentedCredential } from './presented-credential.js';
import { SessionsService } from './sessions/sessions.service.js';
import { ProviderTokensService } from './sso/provider-tokens.service.js';
import { VerifiedTokens } from './verified-tokens.js';

/** Authenticates people by an access token, which Passport's strategy checks, or by a user API key. */
@Injectable()
export class UserGuard extends AuthGuard(ACCESS_TOKEN) {
  private readonly verified = new VerifiedTokens();

  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly memberships: MembershipsService,
    private readonly providerTokens: ProviderTokensService,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = declaredAccess(context);
    // The application does not start with such a route; see RouteDeclarations.
    if (!access) throw new ForbiddenError('forbidden', 'The route declares nobody who may call it');
    if (access.callers !== 'user' && access.callers !== 'agent-or-user') return true;
    return this.admit(context, access);
  }

  private async admit(context: ExecutionContext, access: PeoplesRoute): Promise<boolean> {
    const request = requestOf<Request & AuthenticatedRequest>(context);
    const credential = presentedCredential(request.headers);
    // On a route for both kinds, the agent guard checks agents' keys; this one checks all other credentials, and
    // refuses a missing one.
    if (access.callers === 'agent-or-user' && this.isAgentKey(credential)) return true;
    const check = async () => {
      const { principal, isActive } = await this.identify(context, credential, access);
      // Set before the refusals below, so that the audit log has their caller.
      request.principal = principal;
      if (!isActive) throw new ForbiddenError('account_deactivated', 'Account is deactivated');
      requireRights(principal, access);
    };
    await check();
    request.recheck = check;
    return true;
  }

  /** Passport's reason for a refusal is not returned to the caller. */
  override handleRequest<Owner>(error: Error | null, owner: Owner | false | null): Owner {
    if (error) throw error;
    if (!owner) throw new UnauthenticatedError();
    return owner;
  }

  private async identify(
    context: ExecutionContext,
    credential: PresentedCredential | null,
    access: PeoplesRoute,
  ): Promise<{ principal: UserPrincipal; isActive: boolean }> {
    if (!credential) throw new UnauthenticatedError();
    const { sentAs, text } = credential;
    const asks = access.scope ?? null;
    const origin = originOf(requestOf(context), responseOf(context));
    const isOfAssistant = origin.way !== undefined || (access.callers === 'user' && access.gateway);
    const holder =
      sentAs === 'x-api-key' || this.apiKeys.kindOf(text) !== null
        ? await this.apiKeys.authenticate(text, () => origin)
        : await this.ownerOfToken(context, text, isOfAssistant);
    if (holder === null || holder.kind === 'agent') throw new UnauthenticatedError();
    if (holder.kind === 'project') {
      // The account of a personal project has the project's id. A shared project has none, and its keys outlive people.
      const standing = await this.users.activeUser(holder.projectId);
      return { principal: serviceAccount(holder, { asks, origin }), isActive: standing?.isActive ?? true };
    }
    const { kind, everybody, ...owner } = holder;
    const standing = await this.users.activeUser(owner.userId);
    if (!standing) throw new UnauthenticatedError();
    const { isActive } = standing;
    const isAdmin = standing.isAdmin && everybody;
    if (
      isActive &&
      owner.sessionId !== null &&
      !(await this.sessions.isOpen(owner.userId, owner.sessionId))
    ) {
      throw new UnauthenticatedError();
    }
    const memberships = await this.memberships.of(owner.userId);
    return { principal: { kind, isAdmin, ...owner, memberships, asks, origin }, isActive };
  }

  private isAgentKey(credential: PresentedCredential | null): boolean {
    return credential?.sentAs === 'bearer' && this.apiKeys.kindOf(credential.text) === 'agent';
  }

  /** @param isOfAssistant the call comes by `/mcp`, which also takes access tokens of the identity provider */
  private async ownerOfToken(
    context: ExecutionContext,
    token: string,
    isOfAssistant: boolean,
  ): Promise<TokenHolder> {
    const known = this.verified.ownerOf(token);
    if (known) return { kind: 'user', everybody: true, ...known };
    const provided = isOfAssistant ? await this.providerTokens.ownerOf(token) : null;
    if (provided) return { kind: 'user', everybody: true, ...provided };
    await super.canActivate(context);
    // Passport stores the result of its strategy in the request.
    const { owner, expiresAtMs } = requestOf<{ user: TokenOwner }>(context).user;
    this.verified.remember(token, owner, expiresAtMs);
    return { kind: 'user', everybody: true, ...owner };
  }
}

/** A person is an operator wherever they are one; a key of theirs only if it was made for everybody. */
type TokenHolder = CredentialOwner & { readonly kind: 'user'; readonly everybody: true };

/** The principal of a project's own key: it has no account, and acts in that project alone. */
function serviceAccount(
  { projectId, role, keyId, scopes }: ProjectKeyHolder,
  call: Pick<UserPrincipal, 'asks' | 'origin'>,
): UserPrincipal {
  return {
    kind: 'user',
    userId: projectId,
    isAdmin: false,
    credential: 'project_key',
    keyId,
    scopes,
    sessionId: null,
    memberships: [{ projectId, role }],
    ...call,
  };
}

type PeoplesRoute = Extract<RouteAccess, { callers: 'user' | 'agent-or-user' }>;

function requireRights(principal: UserPrincipal, access: PeoplesRoute): void {
  // A leaked key must not be able to create more keys, or to lock its owner out.
  if (access.callers === 'user' && access.tokenOnly && principal.sessionId === null)
    throw new UnauthenticatedError();
  if (access.scope && !grants(principal.scopes, access.scope))
    throw new ForbiddenError('missing_scope', `Missing scope: ${access.scope}`);
  if (access.callers === 'user' && access.operator && !principal.isAdmin)
    throw new ForbiddenError('missing_role', 'Operators only');
}
