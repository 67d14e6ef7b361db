import type { Approval } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { agentOption, findOptionalAgentId } from '../../find-agent.js';
import { defineProjectList } from '../../list-command.js';
import { approvalColumns } from './columns.js';
import { watchApprovals } from './watch.js';

const STATES = [
  'pending',
  'approved',
  'edited',
  'rejected',
  'responded',
  'expired',
  'withdrawn',
] as const satisfies Approval['state'][];
const RISKS = ['low', 'medium', 'high'] as const satisfies Approval['risk'][];

const list = defineProjectList({
  options: [
    { flags: '--state <state>', description: 'only those in this state', choices: STATES },
    agentOption,
    { flags: '--risk <risk>', description: 'only those of this risk', choices: RISKS },
  ],
  details:
    'Pending approvals come first, then the oldest. --watch shows the pending ones, new ones, and each ' +
    'decision.',
  examples: [
    { command: 'approvals list --state pending', explanation: 'what waits for a decision' },
    { command: 'approvals list --watch', explanation: 'each request as it comes, and each decision' },
    {
      command: "approvals list --state pending --risk high --all --jq '.[].id'",
      explanation: 'only their ids',
    },
  ],
  read(input) {
    const state = input.value<Approval['state']>('state');
    if (input.flag('watch') && state !== undefined)
      throw new UsageError('--watch shows those that wait, and what becomes of them: leave --state out');
    return { state, agent: input.text('agent-id'), risk: input.value<Approval['risk']>('risk') };
  },
  async pages({ state, agent, risk }, context) {
    const filter = { state, risk, agent_id: await findOptionalAgentId(context, agent) };
    return (query) => context.service().GET('/approvals', { params: { query: { ...query, ...filter } } });
  },
  columns: approvalColumns,
  ifEmpty: 'No approvals: no agent has asked for one',
});

export const command = defineCommand({
  ...list,
  async run(options, context) {
    const { agent, risk } = options.given;
    if (!options.isWatched) return list.run(options, context);
    const [agent_id, project_id] = [await findOptionalAgentId(context, agent), await context.projectId()];
    await watchApprovals(context, { agent_id, project_id, risk });
  },
});
