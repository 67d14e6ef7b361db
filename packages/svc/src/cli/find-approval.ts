import type { Approval } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const approvalArgument: CommandArgument = {
  name: 'approval',
  description: 'its id, or the beginning of it',
  completes: 'approval',
  parse: filled,
};

/** Approvals have no names for the command line: titles are the agents' own, and many share one. */
export const approvalKind: ResourceKind<Approval> = {
  noun: 'approval',
  isOfProject: true,
  list: 'svc approvals list',
  async read(context, { id_prefix }, page, signal) {
    const query = { ...page, id_prefix, project_id: await context.projectId() };
    return context.service().GET('/approvals', { params: { query }, signal });
  },
  describe: ({ agent_name, title, state }) => [agent_name, title, state].join(', '),
};

/** @throws CommandFailedError if no approval or more than one matches */
export function findApprovalId(context: Context, text: string): Promise<string> {
  return findId(context, approvalKind, text);
}
