import { type Budget, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { agentOption, findOptionalAgentId } from '../../find-agent.js';
import { labelFilters } from '../../label-option.js';
import { filled } from '../../option-values.js';
import { printBudget } from './columns.js';
import { readTerms, termOptions } from './terms.js';

const PERIODS = ['run', 'hour', 'day', 'month'] as const satisfies Budget['period'][];

export const command = defineCommand({
  arguments: [{ name: 'name', description: 'its name', parse: filled }],
  options: [
    {
      flags: '--period <period>',
      description: 'the period of the limit; run: each run has its own',
      choices: PERIODS,
    },
    { ...agentOption, description: 'for this agent (name or id)' },
    { flags: '--label <key=value>', description: 'or for all agents with this label (default: all agents)' },
    ...termOptions,
  ],
  details:
    'Spending can pass the limit a little: calls in progress, and those not reported yet, come on top. ' +
    'With --period run, both pause and stop cancel the run.',
  examples: [
    {
      command: 'budgets create team --label team=billing --period day --usd 20 --on-exceeded pause',
      explanation: 'the agents of a team are paused until midnight once they have spent $20',
    },
    {
      command: 'budgets create "no endless run" --period run --llm-calls 200 --on-exceeded stop',
      explanation: 'a run that has called models 200 times is cancelled',
    },
  ],
  read(input) {
    const [period, terms] = [input.value<Budget['period']>('period'), readTerms(input)];
    const { limit, ...rest } = terms;
    if (period === undefined)
      throw new UsageError(`--period says what the limit is for: ${PERIODS.join(', ')}`);
    if (limit === undefined) throw new UsageError('--usd, --tokens or the like says what the limit is');
    const [agent, label] = [input.text('agent-id'), input.text('label')];
    if (agent !== undefined && label !== undefined)
      throw new UsageError('--agent-id or --label: give one of them');
    const [labelled] = labelFilters(label === undefined ? [] : [label]);
    return { agent, body: { ...rest, name: input.argument('name'), period, limit, label: labelled } };
  },
  async run({ agent, body }, context) {
    const project_id = await context.projectId();
    const agent_id = await findOptionalAgentId(context, agent);
    const created = context.service().POST('/budgets', { body: { ...body, project_id, agent_id } });
    printBudget(context, await unwrap(created));
  },
});
