import { unwrap } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { type Wait, waitUntilReady } from '../../waiting.js';
import { printDeployment } from './columns.js';
import type { DeployRequest } from './deploy-options.js';

/** Creates a deployment of an agent, and prints it at once or when it is ready. */
export async function deployAgent(
  context: Context,
  agentId: string,
  body: DeployRequest,
  wait: Wait,
): Promise<void> {
  const path = { agent_id: agentId };
  const created = await unwrap(
    context.service().POST('/agents/{agent_id}/deploy', { params: { path }, body }),
  );
  if (wait === undefined) return printDeployment(context, created);
  // all of its events: they begin with the first one
  printDeployment(context, await waitUntilReady(context, created, { timeout: wait, after: '0' }));
}
