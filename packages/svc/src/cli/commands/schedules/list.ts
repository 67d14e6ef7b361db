import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { findAgentId } from '../../find-agent.js';
import { filled } from '../../option-values.js';
import { printList } from '../../output/table.js';
import { projectColumn } from '../../project-column.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { scheduleColumns } from './columns.js';

export const command = defineCommand({
  options: [
    {
      flags: '--agent-id <agent>',
      description: 'only those of this agent (name or id)',
      completes: 'agent',
      parse: filled,
    },
    { flags: '--active', description: 'only those that are not paused' },
    { flags: '--paused', description: 'only those that are paused' },
    ...pageOptions,
  ],
  examples: [
    { command: 'schedules list', explanation: 'the newest 50 schedules' },
    {
      command: 'schedules list --agent-id reporter --paused',
      explanation: 'what an agent is not asked for now',
    },
  ],
  read(input) {
    const [active, paused] = [input.flag('active'), input.flag('paused')];
    if (active && paused) throw new UsageError('--active or --paused: give one of them');
    const is_active = active ? true : paused ? false : undefined;
    return { page: readPageOptions(input), agent: input.text('agent-id'), is_active };
  },
  async run({ page, agent, is_active }, context) {
    const service = context.service();
    const filter = {
      is_active,
      project_id: await context.projectId(),
      agent_id: agent === undefined ? undefined : await findAgentId(context, agent),
    };
    const list = await readPages(page, PAGE.resources, (query) =>
      service.GET('/schedules', { params: { query: { ...query, ...filter } } }),
    );
    printList(context, {
      ...list,
      columns: [...scheduleColumns(context), ...(await projectColumn(context, list.items))],
      ifEmpty: 'No schedules: make one with "svc schedules create"',
    });
  },
});
