import type { Agent } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { CommandFailedError } from './failures.js';
import { filled, isId } from './option-values.js';
import { PAGE, readPages } from './paging.js';

export const agentArgument: CommandArgument = {
  name: 'agent',
  description: "the agent's id, the beginning of it, or its name",
  parse: filled,
};

/**
 * The id of the agent that somebody means. A whole id is taken as it is; for anything else the caller's agents are read,
 * all of them, so that what is ambiguous is never guessed.
 *
 * @throws CommandFailedError when no agent or more than one is meant
 */
export async function findAgentId(context: Context, text: string): Promise<string> {
  if (isId(text)) return text.toLowerCase();
  const service = context.service();
  const { items } = await readPages({ limit: Infinity, skip: 0 }, PAGE.resources, (query) =>
    service.GET('/agents', { params: { query } }),
  );
  const [agent, ...others] = meant(items, text);
  if (!agent) throw new CommandFailedError(`No agent is called "${text}": see "svc agents list"`);
  if (others.length > 0)
    throw new CommandFailedError(`${others.length + 1} agents go by "${text}": give the whole id`);
  return agent.id;
}

/** Names win over beginnings of ids. */
function meant(agents: readonly Agent[], text: string): readonly Agent[] {
  const named = agents.filter(({ name }) => name === text);
  return named.length > 0 ? named : agents.filter(({ id }) => id.startsWith(text.toLowerCase()));
}
