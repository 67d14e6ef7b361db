import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { showLogs } from '../../show-logs.js';
import { logOptions, readLogOptions } from '../../telemetry-queries.js';
import { readDeployment } from '../../read-resource.js';

export const command = defineCommand({
  arguments: [deploymentArgument],
  options: logOptions,
  details: 'The same as svc agents logs, for one deployment.',
  examples: [
    { command: 'deploy logs 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5', explanation: 'the last 50 lines' },
    {
      command: 'deploy logs 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 -n 0 --follow',
      explanation: 'only new lines',
    },
  ],
  read: (input) => ({ deployment: input.argument('deployment'), logs: readLogOptions(input) }),
  async run({ deployment, logs }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const { agent_id: agentId } = await readDeployment(context, deploymentId);
    await showLogs(context, { agentId, deploymentId }, logs);
  },
});
