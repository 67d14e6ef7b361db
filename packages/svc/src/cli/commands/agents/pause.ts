import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { reasonOption, type Runs, runsOption } from '../../pause-options.js';
import { printPause } from '../pauses/columns.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [reasonOption, runsOption],
  details:
    'Its processes are ended and it takes no runs, while everything that is wanted of it stays: svc agents resume brings it back.',
  examples: [
    {
      command: 'agents pause invoice-reader --reason "It spends too much"',
      explanation: 'what runs finishes',
    },
    { command: 'agents pause invoice-reader --runs cancel', explanation: 'its runs are cancelled, too' },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    reason: input.text('reason'),
    runs: input.value<Runs>('runs'),
  }),
  async run({ agent, ...body }, context) {
    const agentId = await findAgentId(context, agent);
    const params = { path: { agent_id: agentId } };
    const pause = await unwrap(context.service().POST('/agents/{agent_id}/pause', { params, body }));
    printPause(context, pause);
  },
});
