import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { readDeployment } from '../../read-resource.js';
import { readWait, waitOptions, waitUntilReady } from '../../waiting.js';
import { askRestart } from './ask-restart.js';
import { printDeployment } from './columns.js';
import { newestEvent } from './newest-event.js';

export const command = defineCommand({
  arguments: [deploymentArgument],
  options: waitOptions,
  details:
    'Starts a stopped or failed deployment again. If it runs, its replicas are replaced one after ' +
    'another.',
  examples: [
    { command: 'deploy restart 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5', explanation: 'do not wait' },
    {
      command: 'deploy restart 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --wait',
      explanation: 'wait until it is ready again',
    },
  ],
  read: (input) => ({ deployment: input.argument('deployment'), wait: readWait(input) }),
  async run({ deployment, wait: timeout }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const after = timeout === undefined ? undefined : await newestEvent(context, deploymentId);
    const restarted = await askRestart(context, await readDeployment(context, deploymentId));
    printDeployment(
      context,
      timeout === undefined ? restarted : await waitUntilReady(context, restarted, { timeout, after }),
    );
  },
});
