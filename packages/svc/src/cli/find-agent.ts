import type { Agent } from '@agent-control-plane/client';
import type { CommandArgument, CommandOption } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const agentArgument: CommandArgument = {
  name: 'agent',
  description: "the agent's name, its id, or the beginning of its id",
  completes: 'agent',
  parse: filled,
};

/** A filter of lists. */
export const agentOption: CommandOption = {
  flags: '--agent-id <agent>',
  description: 'only those of this agent (name or id)',
  completes: 'agent',
  parse: filled,
};

export const agentKind: ResourceKind<Agent> = {
  noun: 'agent',
  isOfProject: true,
  list: 'svc agents list',
  async read(context, search, page, signal) {
    const query = { ...search, ...page, project_id: await context.projectId() };
    return context.service().GET('/agents', { params: { query }, signal });
  },
  nameOf: ({ name }) => name,
  describe: ({ name, health, hostname }) => [name, health.state, hostname].filter(Boolean).join(', '),
};

/** @throws CommandFailedError if no agent or more than one matches */
export function findAgentId(context: Context, text: string): Promise<string> {
  return findId(context, agentKind, text);
}

/** The id of the agent that {@link agentOption} names; undefined if it is not given. @throws as {@link findAgentId} */
export async function findOptionalAgentId(
  context: Context,
  text: string | undefined,
): Promise<string | undefined> {
  return text === undefined ? undefined : findAgentId(context, text);
}
