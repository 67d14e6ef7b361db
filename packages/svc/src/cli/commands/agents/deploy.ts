import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { readWait, waitOptions } from '../../waiting.js';
import { deployAgent } from '../deploy/deploy-agent.js';
import { deployOptions, readDeployRequest } from '../deploy/deploy-options.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [...deployOptions, ...waitOptions],
  details:
    'Creates a deployment with one replica. It stays "deploying" until the agent\'s runtime reports that ' +
    'it runs: start svc run --agent, or a program of your own.',
  examples: [
    { command: 'agents deploy invoice-reader', explanation: 'do not wait' },
    {
      command: 'agents deploy invoice-reader --wait --timeout 5m',
      explanation: 'wait until it is ready, or fail with the reason',
    },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    request: readDeployRequest(input),
    wait: readWait(input),
  }),
  async run({ agent, request, wait }, context) {
    await deployAgent(context, await findAgentId(context, agent), request, wait);
  },
});
