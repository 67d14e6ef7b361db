import type { Pause } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const pauseArgument: CommandArgument = {
  name: 'pause',
  description: 'its id, or the beginning of its id',
  completes: 'pause',
  parse: filled,
};

export const pauseKind: ResourceKind<Pause> = {
  noun: 'pause',
  isOfProject: true,
  list: 'svc pauses list',
  isUnsearched: true,
  async read(context, _search, page, signal) {
    const query = { ...page, is_open: true, project_id: await context.projectId() };
    return context.service().GET('/pauses', { params: { query }, signal });
  },
  describe: ({ label, type, reason }) => [label, type, reason].filter(Boolean).join(', '),
};

/** @throws CommandFailedError if no pause that holds agents matches, or more than one */
export function findPauseId(context: Context, text: string): Promise<string> {
  return findId(context, pauseKind, text);
}
