import { defineCommand } from '../../command.js';
import { id } from '../../option-values.js';
import { printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { agentColumns } from './columns.js';

const STATUSES = ['creating', 'running', 'stopped', 'failed', 'deleting'] as const;

export const command = defineCommand({
  options: [
    { flags: '--status <status>', description: 'only agents with this status', choices: STATUSES },
    { flags: '--user-id <id>', description: "another user's agents, for operators", parse: id },
    ...pageOptions,
  ],
  examples: [
    { command: 'agents list', explanation: 'the newest 50 agents' },
    { command: 'agents list --status failed --all', explanation: 'every agent that has failed' },
    {
      command: "agents list --all --output json | jq -r '.[].id'",
      explanation: 'the ids of all agents',
    },
  ],
  read: (input) => ({
    page: readPageOptions(input),
    status: input.value<(typeof STATUSES)[number]>('status'),
    userId: input.text('user-id'),
  }),
  async run({ page, status, userId }, context) {
    const service = context.service();
    const { items, hasMore } = await readPages(page, PAGE.resources, (query) =>
      service.GET('/agents', { params: { query: { ...query, status, user_id: userId } } }),
    );
    printList(context, {
      rows: items,
      columns: agentColumns(context),
      ifEmpty: 'No agents: make one with "svc agents create"',
      hasMore,
    });
  },
});
