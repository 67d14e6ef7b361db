import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { reasonOption, type Runs, runsOption } from '../../pause-options.js';
import { printPause } from '../pauses/columns.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [reasonOption, runsOption],
  details:
    'Ends its processes and gives it no runs. Its deployments and queued runs stay: svc agents resume ' +
    'continues them.',
  examples: [
    {
      command: 'agents pause invoice-reader --reason "It spends too much"',
      explanation: 'its current runs finish',
    },
    { command: 'agents pause invoice-reader --runs cancel', explanation: 'its current runs are cancelled' },
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
