import { findUserId } from '../../find-user.js';
import { labelFilterOption, labelFilters } from '../../label-option.js';
import { defineProjectList } from '../../list-command.js';
import { filled } from '../../option-values.js';
import { agentColumns } from './columns.js';

const HEALTH = ['idle', 'healthy', 'progressing', 'degraded', 'failing', 'offline', 'paused'] as const;
const CONNECTIONS = ['never_connected', 'online', 'offline'] as const;
const SORTS = ['created', '-created', 'name', '-name', 'last_heartbeat', '-last_heartbeat'] as const;
const STATUSES = ['creating', 'running', 'stopped', 'failed', 'deleting'] as const;

export const command = defineProjectList({
  options: [
    { flags: '--status <status>', description: 'only agents with this status', choices: STATUSES },
    { flags: '--health <state>', description: 'only agents in this state of health', choices: HEALTH },
    { flags: '--connection <state>', description: 'only agents with this connection', choices: CONNECTIONS },
    {
      flags: '--user-id <user>',
      description: 'only agents that this user created (email or id), for operators',
      parse: filled,
    },
    {
      flags: '-q, --text <text>',
      description: 'only agents with this in the name, description, type or host',
      parse: filled,
    },
    { flags: '--type <type>', description: 'only agents of this type', parse: filled },
    labelFilterOption,
    { flags: '--sort <order>', description: 'with - descending (default: -created)', choices: SORTS },
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
    status: input.value<(typeof STATUSES)[number]>('status'),
    health: input.value<(typeof HEALTH)[number]>('health'),
    connection: input.value<(typeof CONNECTIONS)[number]>('connection'),
    user: input.text('user-id'),
    text: input.text('text'),
    type: input.text('type'),
    labels: labelFilters(input.list('label') ?? []),
    sort: input.value<(typeof SORTS)[number]>('sort'),
  }),
  async pages({ user, text: q, labels: label, ...filters }, context) {
    const user_id = user === undefined ? undefined : await findUserId(context, user);
    const filter = { ...filters, q, label, user_id };
    return (query) => context.service().GET('/agents', { params: { query: { ...query, ...filter } } });
  },
  columns: agentColumns,
  ifEmpty: 'No agents: make one with "svc agents create"',
});
