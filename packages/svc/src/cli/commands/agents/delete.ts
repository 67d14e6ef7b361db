import { defineCommand } from '../../command.js';
import { confirm, yesOption } from '../../confirmation.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { printDone } from '../../output/done.js';
import { agentQuestion } from './question.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [yesOption],
  details: 'Deletes the agent for good, with its deployments, logs and metrics. Its keys stop working.',
  examples: [
    { command: 'agents delete invoice-reader', explanation: 'asks first' },
    {
      command: 'agents delete 0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d --yes',
      explanation: 'does not ask',
    },
  ],
  read: (input) => ({ agent: input.argument('agent'), isConfirmed: input.flag('yes') }),
  async run({ agent, isConfirmed }, context) {
    const agentId = await findAgentId(context, agent);
    await confirm(context, isConfirmed, () => agentQuestion(context, agentId, 'Delete'));
    await context.service().DELETE('/agents/{agent_id}', { params: { path: { agent_id: agentId } } });
    printDone(context, { deleted: agentId }, `Deleted the agent ${agentId}`);
  },
});
