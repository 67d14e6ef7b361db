import type { Budget } from '@agent-control-plane/client';
import { agentOption, findOptionalAgentId } from '../../find-agent.js';
import { defineProjectList } from '../../list-command.js';
import { budgetColumns } from './columns.js';

const STATES = ['ok', 'warning', 'exceeded'] as const satisfies Budget['state'][];

export const command = defineProjectList({
  options: [
    { ...agentOption, description: 'only those for this agent alone (name or id)' },
    { flags: '--state <state>', description: 'only those in this state', choices: STATES },
  ],
  examples: [
    { command: 'budgets list', explanation: 'how much of each is spent' },
    { command: 'budgets list --state exceeded', explanation: 'those that are used up' },
  ],
  read: (input) => ({ agent: input.text('agent-id'), state: input.value<Budget['state']>('state') }),
  async pages({ agent, state }, context) {
    const filter = { state, agent_id: await findOptionalAgentId(context, agent) };
    return (query) => context.service().GET('/budgets', { params: { query: { ...query, ...filter } } });
  },
  columns: budgetColumns,
  ifEmpty: 'No budgets: create one with "svc budgets create"',
});
