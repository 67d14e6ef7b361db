import type { User } from '@agent-control-plane/client';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';

const userKind: ResourceKind<User> = {
  noun: 'user',
  list: 'the page Users of the dashboard',
  read: (context, _search, query, signal) => context.service().GET('/users', { params: { query }, signal }),
  nameOf: ({ email }) => email,
  describe: ({ email }) => email,
};

/** The id of another user, for operators. @throws CommandFailedError if no user or more than one matches */
export function findUserId(context: Context, text: string): Promise<string> {
  return findId(context, userKind, text);
}
