import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { expectKind, recheckOf } from './caller.js';
import { requestOf } from './http-context.js';
import type { UserPrincipal } from './principal.js';

/**
 * Checks the credential of the calling person again, before a reply that may outlast it, and returns the person with the rights of
 * now; only on routes marked `@UserRoute()`.
 */
export const UserNow = createParamDecorator(
  (_: unknown, context: ExecutionContext): (() => Promise<UserPrincipal>) => {
    const recheck = recheckOf(requestOf(context));
    return async () => {
      await recheck();
      return expectKind(context, 'user');
    };
  },
);
