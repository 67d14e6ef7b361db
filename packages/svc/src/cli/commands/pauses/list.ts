import { defineCommand } from '../../command.js';
import { findAgentId } from '../../find-agent.js';
import { filled } from '../../option-values.js';
import { printList } from '../../output/table.js';
import { projectColumn } from '../../project-column.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { pauseColumns } from './columns.js';

export const command = defineCommand({
  options: [
    {
      flags: '--agent-id <agent>',
      description: 'only those of this agent (name or id)',
      completes: 'agent',
      parse: filled,
    },
    { flags: '--open', description: 'only those that hold agents' },
    ...pageOptions,
  ],
  examples: [
    {
      command: 'pauses list --open',
      explanation: 'what is paused now, and whether the runtimes confirmed it',
    },
    { command: 'pauses list --agent-id reader', explanation: 'the pauses of an agent' },
  ],
  read: (input) => ({
    page: readPageOptions(input),
    agent: input.text('agent-id'),
    is_open: input.flag('open') ? true : undefined,
  }),
  async run({ page, agent, is_open }, context) {
    const service = context.service();
    const filter = {
      is_open,
      project_id: await context.projectId(),
      agent_id: agent === undefined ? undefined : await findAgentId(context, agent),
    };
    const list = await readPages(page, PAGE.resources, (query) =>
      service.GET('/pauses', { params: { query: { ...query, ...filter } } }),
    );
    printList(context, {
      ...list,
      columns: [...pauseColumns(context), ...(await projectColumn(context, list.items))],
      ifEmpty: 'No pauses: "svc pause" and "svc agents pause" make one',
    });
  },
});
