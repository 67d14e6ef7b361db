import type { Run } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const runArgument: CommandArgument = {
  name: 'run',
  description: 'its id, or the beginning of it',
  completes: 'run',
  parse: filled,
};

/** Runs have no names for the command line: all runs of a daily report share one. */
export const runKind: ResourceKind<Run> = {
  noun: 'run',
  isOfProject: true,
  list: 'svc runs list',
  async read(context, { id_prefix }, page, signal) {
    const query = { ...page, id_prefix, project_id: await context.projectId() };
    return context.service().GET('/runs', { params: { query }, signal });
  },
  describe: ({ agent_name, name, status }) => [agent_name, name, status].filter(Boolean).join(', '),
};

/** @throws CommandFailedError if no run or more than one matches */
export function findRunId(context: Context, text: string): Promise<string> {
  return findId(context, runKind, text);
}
