import { isActive } from '../../active-deployment.js';
import type { Context } from '../../context.js';
import { printableLine } from '../../output/printable.js';
import { readAgent } from '../../read-resource.js';

/** The question before an action on an agent, with its name and its deployments. */
export async function agentQuestion(context: Context, agentId: string, verb: string): Promise<string> {
  const { name, deployments } = await readAgent(context, agentId);
  const active = deployments.filter(isActive);
  const count = active.length === 1 ? 'one active deployment' : `${active.length} active deployments`;
  return printableLine(`${verb} the agent "${name}" (${agentId}) with ${count}?`);
}
