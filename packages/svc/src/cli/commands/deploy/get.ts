import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { printDeployment } from './columns.js';
import { readDeployment } from '../../read-resource.js';

export const command = defineCommand({
  arguments: [deploymentArgument],
  examples: [
    { command: 'deploy get 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5', explanation: 'its status and replicas' },
    {
      command: 'deploy get 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 -o json | jq .status',
      explanation: 'one field',
    },
  ],
  read: (input) => ({ deployment: input.argument('deployment') }),
  async run({ deployment }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    printDeployment(context, await readDeployment(context, deploymentId));
  },
});
