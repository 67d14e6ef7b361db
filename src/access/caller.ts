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

/** See {@link AuthenticatedRequest.recheck}. */
export function recheckOf({ recheck }: AuthenticatedRequest): () => Promise<void> {
  if (!recheck) throw new Error('The route has no guard that can check the credential again');
  return recheck;
}

export function principalOf(context: ExecutionContext): Principal | undefined {
  return requestOf<AuthenticatedRequest>(context).principal;
}

export function expectKind<K extends Principal['kind']>(context: ExecutionContext, kind: K) {
  const principal = principalOf(context);
  if (principal?.kind !== kind) throw new Error(`The route's guard does not accept callers of kind ${kind}`);
  return principal as Extract<Principal, { kind: K }>;
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

/** The caller, a person or an agent; only on the route marked `@EnrolmentRoute()`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = principalOf(context);
  if (!principal) throw new Error('The route has no guard');
  return principal;
});
