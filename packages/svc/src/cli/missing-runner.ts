import type { Deployment } from '@agent-control-plane/client';
import type { Context } from './context.js';
import { readAgent } from './read-resource.js';

/** Names that need no quotes in a shell; otherwise the command has the agent's id. */
const PLAIN_NAME = /^[\w.][\w.-]*$/;

/** A note that no runner is connected, with the command that starts one; undefined while one is connected. */
export async function missingRunner(
  context: Context,
  { agent_id, agent_name }: Deployment,
): Promise<string | undefined> {
  const { connection } = await readAgent(context, agent_id);
  if (connection === 'online') return undefined;
  return `No runner is connected: svc run --agent ${PLAIN_NAME.test(agent_name) ? agent_name : agent_id}`;
}
