import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AgentPrincipal, Principal, UserPrincipal } from './principal.js';

/** A request after its guard: the guard leaves the caller here. */
export interface AuthenticatedRequest {
  principal?: Principal;
  /**
   * Judges the credential once more, for replies that take longer than it may be good; throws what the guard would
   * throw.
   */
  recheck?: () => Promise<void>;
}

export function principalOf(context: ExecutionContext): Principal | undefined {
  return context.switchToHttp().getRequest<AuthenticatedRequest>().principal;
}

function expectKind<K extends Principal['kind']>(context: ExecutionContext, kind: K) {
  const principal = principalOf(context);
  if (principal?.kind !== kind) throw new Error(`The route's guard let no ${kind} through`);
  return principal as Extract<Principal, { kind: K }>;
}

/** The calling person; only on routes marked `@UserRoute()`. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): UserPrincipal =>
  expectKind(context, 'user'),
);

/** The calling agent; only on routes marked `@AgentRoute()`. */
export const CurrentAgent = createParamDecorator((_: unknown, context: ExecutionContext): AgentPrincipal =>
  expectKind(context, 'agent'),
);

/** Judges the caller's credential once more; see {@link AuthenticatedRequest.recheck}. */
export const CredentialCheck = createParamDecorator(
  (_: unknown, context: ExecutionContext): (() => Promise<void>) => {
    const { recheck } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!recheck) throw new Error('The route has no guard that could ask again');
    return recheck;
  },
);

/** Either kind; only on the route marked `@EnrolmentRoute()`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = principalOf(context);
  if (!principal) throw new Error('The route has no guard');
  return principal;
});
