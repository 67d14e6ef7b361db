import { type AgentDetail, type Deployment, unwrap } from '@agent-control-plane/client';
import { isActive } from '../active-deployment.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { CommandFailedError } from '../failures.js';
import { agentArgument, findAgentId } from '../find-agent.js';
import { readAgent } from '../read-resource.js';
import { readWait, waitOptions, waitUntilReady, waitUntilStopped } from '../waiting.js';
import { askRestart, restartsRolling } from './deploy/ask-restart.js';
import { printDeployment } from './deploy/columns.js';
import { newestEvent } from './deploy/newest-event.js';

/** Time for the processes to end; seconds. */
const STOP_SECONDS = 600;

export const command = defineCommand({
  arguments: [agentArgument],
  options: waitOptions,
  details:
    "Restarts the agent's active deployment, or else its newest one. Running replicas are replaced one " +
    'after another; a deployment that is still starting is stopped first. The config version and the ' +
    'number of replicas stay the same. If an agent has several active deployments, svc deploy restart ' +
    'restarts one of them.',
  examples: [
    {
      command: 'restart reader',
      explanation: 'do not wait',
    },
    { command: 'restart reader --wait', explanation: 'wait until it is ready again' },
  ],
  read: (input) => ({ agent: input.argument('agent'), wait: readWait(input) }),
  async run({ agent: named, wait }, context) {
    const agent = await readAgent(context, await findAgentId(context, named));
    const deployment = deploymentToRestart(agent);
    const { id } = deployment;
    const isStarting = isActive(deployment) && !restartsRolling(deployment);
    if (isStarting) await stop(context, id, wait ?? STOP_SECONDS);
    const after = wait === undefined ? undefined : await newestEvent(context, id);
    const restarted = await askRestart(context, deployment);
    printDeployment(
      context,
      wait === undefined ? restarted : await waitUntilReady(context, restarted, { timeout: wait, after }),
    );
  },
});

/** The only active deployment, else the newest one. @throws CommandFailedError */
export function deploymentToRestart({
  name,
  deployments,
}: Pick<AgentDetail, 'name' | 'deployments'>): Deployment {
  const [active, ...others] = deployments.filter(isActive);
  if (others.length > 0)
    throw new CommandFailedError(
      `"${name}" has ${others.length + 1} active deployments: stop all but one, see "svc ps --agent-id"`,
    );
  const [newest] = deployments;
  if (active ?? newest) return (active ?? newest)!;
  throw new CommandFailedError(`"${name}" was never deployed: "svc deploy" does it`);
}

async function stop(context: Context, deploymentId: string, timeout: number): Promise<void> {
  const path = { deployment_id: deploymentId };
  const after = await newestEvent(context, deploymentId);
  const stopped = await unwrap(
    context.service().POST('/deployments/{deployment_id}/stop', { params: { path } }),
  );
  await waitUntilStopped(context, stopped, { timeout, after });
}
