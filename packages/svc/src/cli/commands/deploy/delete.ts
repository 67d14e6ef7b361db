import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { confirm, yesOption } from '../../confirmation.js';
import type { Context } from '../../context.js';
import { printDone } from '../../output/done.js';
import { readDeployment } from '../../read-resource.js';

export const command = defineCommand({
  arguments: [deploymentArgument],
  options: [yesOption],
  details: 'Kills the deployment for good, and stops its agent. Its history, logs and metrics stay.',
  examples: [
    { command: 'deploy delete 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5', explanation: 'asks first' },
    { command: 'deploy delete 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({ deployment: input.argument('deployment'), isConfirmed: input.flag('yes') }),
  async run({ deployment, isConfirmed }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const path = { deployment_id: deploymentId };
    await confirm(context, isConfirmed, () => question(context, deploymentId));
    await context.service().DELETE('/deployments/{deployment_id}', { params: { path } });
    printDone(context, { deleted: deploymentId }, `Killed the deployment ${deploymentId}`);
  },
});

async function question(context: Context, deploymentId: string): Promise<string> {
  const { status, replicas } = await readDeployment(context, deploymentId);
  return `Kill the deployment ${deploymentId} (${status}, replicas: ${replicas})?`;
}
