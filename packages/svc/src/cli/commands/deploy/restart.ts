import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { readWait, waitOptions, waitUntilReady } from '../../waiting.js';
import { printDeployment } from './columns.js';
import { newestEvent } from './newest-event.js';

export const command = defineCommand({
  arguments: [deploymentArgument],
  options: waitOptions,
  details: 'Only a deployment that is stopped or has failed can be restarted.',
  examples: [
    { command: 'deploy restart 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5', explanation: 'ask for it' },
    {
      command: 'deploy restart 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --wait',
      explanation: 'come back when it is ready again',
    },
  ],
  read: (input) => ({ deployment: input.argument('deployment'), wait: readWait(input) }),
  async run({ deployment, wait: timeout }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const path = { deployment_id: deploymentId };
    const after = timeout === undefined ? undefined : await newestEvent(context, deploymentId);
    const restarted = await unwrap(
      context.service().POST('/deployments/{deployment_id}/restart', { params: { path } }),
    );
    printDeployment(
      context,
      timeout === undefined ? restarted : await waitUntilReady(context, restarted, { timeout, after }),
    );
  },
});
