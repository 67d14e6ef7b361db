import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type AuthenticatedRequest, expectKind } from './caller.js';
import { requestOf } from './http-context.js';
import type { UserPrincipal } from './principal.js';

function recheckOf(context: ExecutionContext): () => Promise<void> {
  const { recheck } = requestOf<AuthenticatedRequest>(context);
  if (!recheck) throw new Error('The route has no guard that can check the credential again');
  return recheck;
}

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
