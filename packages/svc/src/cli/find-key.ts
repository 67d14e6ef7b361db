import type { ApiKey } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const keyArgument: CommandArgument = {
  name: 'key',
  description: 'its name, its id, or the beginning of its id; not the key itself',
  completes: 'api-key',
  parse: filled,
};

export const keyKind: ResourceKind<ApiKey> = {
  noun: 'key',
  isOfProject: true,
  list: 'svc api-keys list',
  async read(context, _search, page, signal) {
    const query = { ...page, project_id: await context.projectId() };
    return context.service().GET('/api-keys', { params: { query }, signal });
  },
  nameOf: ({ name }) => name,
  describe: ({ name, is_active: isActive }) => `${name}, ${isActive ? 'active' : 'revoked'}`,
  isPreferred: ({ is_active: isActive }) => isActive,
};

/** @throws CommandFailedError if no key or more than one matches */
export function findKeyId(context: Context, text: string): Promise<string> {
  return findId(context, keyKind, text);
}
