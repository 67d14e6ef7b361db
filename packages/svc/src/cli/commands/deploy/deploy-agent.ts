import { type Deployment, unwrap } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { readAgent } from '../../read-resource.js';
import { type Wait, waitUntilReady, waitUntilRunning } from '../../waiting.js';
import { printDeployment } from './columns.js';
import type { DeployRequest } from './deploy-options.js';
import { newestEvent } from './newest-event.js';

/**
 * Creates a deployment of an agent, and prints it at once or when it is ready. The service starts it with one replica, so
 * who waits keeps the replicas that it replaces by a scale, as the dashboard does.
 */
export async function deployAgent(
  context: Context,
  agentId: string,
  body: DeployRequest,
  wait: Wait,
): Promise<void> {
  const path = { agent_id: agentId };
  const replaced =
    body.replaces === 'active' ? ((await readAgent(context, agentId)).deployed?.replicas ?? 0) : 0;
  const created = await unwrap(
    context.service().POST('/agents/{agent_id}/deploy', { params: { path }, body }),
  );
  if (wait === undefined) {
    if (replaced > 1)
      context.terminal.note(
        `It starts with one replica in place of ${replaced}: "svc deploy scale ${created.id} ${replaced}" once it runs, or --wait next time`,
      );
    return printDeployment(context, created);
  }
  const ready =
    replaced > 1
      ? await readyWith(context, created, replaced, wait)
      : // all of its events: they begin with the first one
        await waitUntilReady(context, created, { timeout: wait, after: '0' });
  printDeployment(context, ready);
}

/** Scales a deployment as soon as it runs. @param timeout seconds for all of it */
async function readyWith(
  context: Context,
  created: Deployment,
  replicas: number,
  timeout: number,
): Promise<Deployment> {
  const begun = performance.now();
  const { id } = await waitUntilRunning(context, created, { timeout, after: '0' });
  const after = await newestEvent(context, id);
  const path = { deployment_id: id };
  const scaled = await unwrap(
    context.service().POST('/deployments/{deployment_id}/scale', { params: { path }, body: { replicas } }),
  );
  const left = Math.max(1, timeout - (performance.now() - begun) / 1_000);
  return waitUntilReady(context, scaled, { timeout: left, after });
}
