import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { readWait, waitOptions } from '../../waiting.js';
import { deployAgent } from '../deploy/deploy-agent.js';
import { deployOptions, readDeployRequest } from '../deploy/deploy-options.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [...deployOptions, ...waitOptions],
  details:
    'Makes a new deployment with one replica. It is "deploying" until the agent\'s runtime says that it runs, so\n' +
    'something has to run as this agent: svc run, or a program of your own.',
  examples: [
    { command: 'agents deploy invoice-reader', explanation: 'ask for it, and do not wait' },
    {
      command: 'agents deploy invoice-reader --wait --timeout 5m',
      explanation: 'come back when it is ready, or with the reason why not',
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
