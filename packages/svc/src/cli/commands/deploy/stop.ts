import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { confirm, yesOption } from '../../confirmation.js';
import { readWait, waitOptions, waitUntilStopped } from '../../waiting.js';
import { printDeployment } from './columns.js';

export const command = defineCommand({
  arguments: [deploymentArgument],
  options: [yesOption, ...waitOptions],
  details:
    'The agent is stopped when no other deployment is active. svc deploy restart starts this one again.',
  examples: [
    { command: 'deploy stop 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5', explanation: 'asks first' },
    {
      command: 'deploy stop 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --yes --wait',
      explanation: 'does not ask, and waits until its processes have ended',
    },
  ],
  read: (input) => ({
    deployment: input.argument('deployment'),
    isConfirmed: input.flag('yes'),
    wait: readWait(input),
  }),
  async run({ deployment, isConfirmed, wait: timeout }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const path = { deployment_id: deploymentId };
    await confirm(context, isConfirmed, () => `Stop the deployment ${deploymentId}?`);
    const stopped = await unwrap(
      context.service().POST('/deployments/{deployment_id}/stop', { params: { path } }),
    );
    printDeployment(
      context,
      timeout === undefined ? stopped : await waitUntilStopped(context, stopped, { timeout }),
    );
  },
});
