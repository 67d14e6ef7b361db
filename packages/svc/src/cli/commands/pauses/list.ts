import { agentOption, findOptionalAgentId } from '../../find-agent.js';
import { defineProjectList } from '../../list-command.js';
import { pauseColumns } from './columns.js';

export const command = defineProjectList({
  options: [agentOption, { flags: '--open', description: 'only those that still hold agents' }],
  examples: [
    {
      command: 'pauses list --open',
      explanation: 'what is paused now, and whether the runtimes confirmed it',
    },
    { command: 'pauses list --agent-id reader', explanation: 'the pauses of an agent' },
  ],
  read: (input) => ({ agent: input.text('agent-id'), is_open: input.flag('open') || undefined }),
  async pages({ agent, is_open }, context) {
    const filter = { is_open, agent_id: await findOptionalAgentId(context, agent) };
    return (query) => context.service().GET('/pauses', { params: { query: { ...query, ...filter } } });
  },
  columns: pauseColumns,
  ifEmpty: 'No pauses: "svc pause" and "svc agents pause" make one',
});
