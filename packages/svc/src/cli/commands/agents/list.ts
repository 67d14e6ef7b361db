import type { Context } from '../../context.js';
import { findUserId } from '../../find-user.js';
import { labelFilterOption, labelFilters } from '../../label-option.js';
import { defineProjectList } from '../../list-command.js';
import { filled } from '../../option-values.js';
import { agentColumns } from './columns.js';

const HEALTH = ['idle', 'healthy', 'progressing', 'degraded', 'failing', 'offline', 'paused'] as const;
const CONNECTIONS = ['never_connected', 'online', 'offline'] as const;
const SORTS = [
  'created',
  '-created',
  'name',
  '-name',
  'last_heartbeat',
  '-last_heartbeat',
  'health',
] as const;
const STATUSES = ['creating', 'running', 'stopped', 'failed', 'deleting'] as const;

export const command = defineProjectList({
  options: [
    { flags: '--status <status>', description: 'only agents with this status', choices: STATUSES },
    { flags: '--health <state>', description: 'only agents in this state of health', choices: HEALTH },
    { flags: '--connection <state>', description: 'only agents with this connection', choices: CONNECTIONS },
    { flags: '--outdated', description: 'only agents whose runtime is too old for the service' },
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
    {
      flags: '--sort <order>',
      description: 'the order; a leading - is descending (default: -created); health puts the worst first',
      choices: SORTS,
    },
  ],
  examples: [
    { command: 'agents list', explanation: 'the newest 50 agents' },
    { command: 'agents list --sort health', explanation: 'the worst first' },
    { command: 'agents list --health failing --all', explanation: 'every failing agent' },
    {
      command: "agents list --all --output json | jq -r '.[].id'",
      explanation: 'the ids of all agents',
    },
  ],
  read: (input) => ({
    status: input.value<(typeof STATUSES)[number]>('status'),
    health: input.value<(typeof HEALTH)[number]>('health'),
    connection: input.value<(typeof CONNECTIONS)[number]>('connection'),
    outdated: input.flag('outdated') || undefined,
    user: input.text('user-id'),
    text: input.text('text'),
    type: input.text('type'),
    labels: labelFilters(input.list('label') ?? []),
    sort: input.value<(typeof SORTS)[number]>('sort'),
  }),
  async pages(options, context) {
    const filter = await filterOf(options, context);
    return (query) => context.service().GET('/agents', { params: { query: { ...query, ...filter } } });
  },
  columns: agentColumns,
  ifEmpty: 'No agents: create one with "svc agents create"',
});

interface AgentFilter {
  readonly status: (typeof STATUSES)[number] | undefined;
  readonly health: (typeof HEALTH)[number] | undefined;
  readonly connection: (typeof CONNECTIONS)[number] | undefined;
  readonly outdated: boolean | undefined;
  readonly user: string | undefined;
  readonly text: string | undefined;
  readonly type: string | undefined;
  readonly labels: string[];
  readonly sort: (typeof SORTS)[number] | undefined;
}

/** The filters as the service's parameters. */
async function filterOf({ user, text: q, labels: label, ...filters }: AgentFilter, context: Context) {
  const user_id = user === undefined ? undefined : await findUserId(context, user);
  return { ...filters, q, label, user_id };
}
