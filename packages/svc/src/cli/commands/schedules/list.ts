import { UsageError } from '../../failures.js';
import { agentOption, findOptionalAgentId } from '../../find-agent.js';
import { defineProjectList } from '../../list-command.js';
import { scheduleColumns } from './columns.js';

export const command = defineProjectList({
  options: [
    agentOption,
    { flags: '--active', description: 'only those that are not paused' },
    { flags: '--paused', description: 'only those that are paused' },
  ],
  examples: [
    { command: 'schedules list', explanation: 'the newest 50 schedules' },
    {
      command: 'schedules list --agent-id reporter --paused',
      explanation: 'the paused schedules of an agent',
    },
  ],
  read(input) {
    const [active, paused] = [input.flag('active'), input.flag('paused')];
    if (active && paused) throw new UsageError('--active or --paused: give one of them');
    const is_active = active ? true : paused ? false : undefined;
    return { agent: input.text('agent-id'), is_active };
  },
  async pages({ agent, is_active }, context) {
    const filter = { is_active, agent_id: await findOptionalAgentId(context, agent) };
    return (query) => context.service().GET('/schedules', { params: { query: { ...query, ...filter } } });
  },
  columns: scheduleColumns,
  ifEmpty: 'No schedules: create one with "svc schedules create"',
});
