import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { budgetArgument, findBudgetId } from '../../find-budget.js';
import { filled } from '../../option-values.js';
import { printBudget } from './columns.js';
import { readTerms, termOptions } from './terms.js';

export const command = defineCommand({
  arguments: [budgetArgument],
  options: [{ flags: '--name <name>', description: 'a new name', parse: filled }, ...termOptions],
  details:
    'Changes only what is given, and takes effect at once: a raised limit resumes the agents that this ' +
    'budget paused.',
  examples: [
    { command: 'budgets update team --usd 50', explanation: 'the agents that it paused resume' },
    { command: 'budgets update team --on-exceeded notify --warn-at 90%', explanation: 'it only notifies' },
  ],
  read(input) {
    const changes = { name: input.text('name'), ...readTerms(input) };
    if (Object.values(changes).every((change) => change === undefined))
      throw new UsageError('Say what to change, such as --usd, --warn-at or --on-exceeded');
    return { budget: input.argument('budget'), changes };
  },
  async run({ budget, changes: body }, context) {
    const path = { budget_id: await findBudgetId(context, budget) };
    printBudget(
      context,
      await unwrap(context.service().PATCH('/budgets/{budget_id}', { params: { path }, body })),
    );
  },
});
