import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AgentPrincipal, Principal, SessionPrincipal, UserPrincipal } from './principal.js';
import { requestOf } from './http-context.js';

/** A request whose guard has stored the caller in it. */
export interface AuthenticatedRequest {
  principal?: Principal;
  /**
   * Checks the credential again, before replies that may outlast it (long polls, streams). Throws the errors of the
   * guard.
   */
  recheck?: () => Promise<void>;
}

export function principalOf(context: ExecutionContext): Principal | undefined {
  return requestOf<AuthenticatedRequest>(context).principal;
}

function expectKind<K extends Principal['kind']>(context: ExecutionContext, kind: K) {
  const principal = principalOf(context);
  if (principal?.kind !== kind) throw new Error(`The route's guard does not accept callers of kind ${kind}`);
  return principal as Extract<Principal, { kind: K }>;
}

function recheckOf(context: ExecutionContext): () => Promise<void> {
  const { recheck } = requestOf<AuthenticatedRequest>(context);
  if (!recheck) throw new Error('The route has no guard that can check the credential again');
  return recheck;
}

/** The calling person; only on routes marked `@UserRoute()`. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): UserPrincipal =>
  expectKind(context, 'user'),
);

/** The calling person and their session; only on routes marked `@UserRoute({ tokenOnly: true })`. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): SessionPrincipal => {
    const { sessionId, ...principal } = expectKind(context, 'user');
    if (sessionId === null) throw new Error('The route accepts API keys, which have no session');
    return { ...principal, sessionId };
  },
);

/** The calling agent; only on routes marked `@AgentRoute()`. */
export const CurrentAgent = createParamDecorator((_: unknown, context: ExecutionContext): AgentPrincipal =>
  expectKind(context, 'agent'),
);

/** Checks the caller's credential again; see {@link AuthenticatedRequest.recheck}. */
export const CredentialCheck = createParamDecorator(
  (_: unknown, context: ExecutionContext): (() => Promise<void>) => recheckOf(context),
);

/**
 * Checks the credential of the calling person again, before a reply that may outlast it, and returns the person with the rights of
 * now; only on routes marked `@UserRoute()`.
 */
export const UserNow = createParamDecorator(
  (_: unknown, context: ExecutionContext): (() => Promise<UserPrincipal>) => {
    const recheck = recheckOf(context);
    return async () => {
      await recheck();
      return expectKind(context, 'user');
    };
  },
);

/** The caller, a person or an agent; only on the route marked `@EnrolmentRoute()`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = principalOf(context);
  if (!principal) throw new Error('The route has no guard');
  return principal;
});
