import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [agentArgument],
  details:
    'Ends the pauses of this agent that people began. Other agents of the same pause stay paused; svc ' +
    'pauses end resumes all of them.',
  examples: [
    { command: 'agents resume invoice-reader', explanation: 'its deployments run again' },
    { command: 'agents list --health paused', explanation: 'which agents are paused' },
  ],
  read: (input) => ({ agent: input.argument('agent') }),
  async run({ agent }, context) {
    const agentId = await findAgentId(context, agent);
    const params = { path: { agent_id: agentId } };
    const reply = await unwrap(context.service().POST('/agents/{agent_id}/resume', { params }));
    const { paused } = reply;
    const still =
      paused && `Agent ${agentId} is still paused by a ${paused.by}: ${paused.reason ?? 'no reason given'}`;
    printDone(context, reply, still ?? `Agent ${agentId} is no longer paused`);
  },
});
