import { defineCommand } from '../../command.js';
import { findUserId } from '../../find-user.js';
import { filled } from '../../option-values.js';
import { printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { agentColumns } from './columns.js';

const HEALTH = ['idle', 'healthy', 'progressing', 'degraded', 'failing', 'offline'] as const;
const CONNECTIONS = ['never_connected', 'online', 'offline'] as const;
const STATUSES = ['creating', 'running', 'stopped', 'failed', 'deleting'] as const;

export const command = defineCommand({
  options: [
    { flags: '--status <status>', description: 'only agents with this status', choices: STATUSES },
    { flags: '--health <state>', description: 'only agents in this state of health', choices: HEALTH },
    { flags: '--connection <state>', description: 'only agents with this connection', choices: CONNECTIONS },
    {
      flags: '--user-id <user>',
      description: "another user's agents (email or id), for operators",
      parse: filled,
    },
    ...pageOptions,
  ],
  examples: [
    { command: 'agents list', explanation: 'the newest 50 agents' },
    { command: 'agents list --health failing --all', explanation: 'every agent that is in trouble' },
    {
      command: "agents list --all --output json | jq -r '.[].id'",
      explanation: 'the ids of all agents',
    },
  ],
  read: (input) => ({
    page: readPageOptions(input),
    status: input.value<(typeof STATUSES)[number]>('status'),
    health: input.value<(typeof HEALTH)[number]>('health'),
    connection: input.value<(typeof CONNECTIONS)[number]>('connection'),
    user: input.text('user-id'),
  }),
  async run({ page, user, ...filter }, context) {
    const userId = user === undefined ? undefined : await findUserId(context, user);
    const service = context.service();
    const { items, hasMore } = await readPages(page, PAGE.resources, (query) =>
      service.GET('/agents', { params: { query: { ...query, ...filter, user_id: userId } } }),
    );
    printList(context, {
      rows: items,
      columns: agentColumns(context),
      ifEmpty: 'No agents: make one with "svc agents create"',
      hasMore,
    });
  },
});
