import type { Agent } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const agentArgument: CommandArgument = {
  name: 'agent',
  description: "the agent's name, its id, or the beginning of its id",
  completes: 'agent',
  parse: filled,
};

export const agentKind: ResourceKind<Agent> = {
  noun: 'agent',
  list: 'svc agents list',
  read: (context, _text, query, signal) => context.service().GET('/agents', { params: { query }, signal }),
  nameOf: ({ name }) => name,
  describe: ({ name, health, hostname }) => [name, health.state, hostname].filter(Boolean).join(', '),
};

/** @throws CommandFailedError when no agent or more than one is meant */
export function findAgentId(context: Context, text: string): Promise<string> {
  return findId(context, agentKind, text);
}
