import { unwrap } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { printableLine } from '../../output/printable.js';

/** Names the agent, and what hangs on it, before something happens to it. */
export async function agentQuestion(context: Context, agentId: string, verb: string): Promise<string> {
  const { name, deployments } = await unwrap(
    context.service().GET('/agents/{agent_id}', { params: { path: { agent_id: agentId } } }),
  );
  const active = deployments.filter(({ status }) => ['deploying', 'running', 'ready'].includes(status));
  const count = active.length === 1 ? 'one active deployment' : `${active.length} active deployments`;
  return printableLine(`${verb} the agent "${name}" (${agentId}) with ${count}?`);
}
