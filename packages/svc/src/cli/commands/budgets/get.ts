import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { budgetArgument, findBudgetId } from '../../find-budget.js';
import { printBudget } from './columns.js';

export const command = defineCommand({
  arguments: [budgetArgument],
  details: 'What was spent is as it was last judged: when usage arrived, and every ten seconds.',
  examples: [
    { command: 'budgets get team', explanation: 'what was spent, and when the period ends' },
    { command: 'budgets get team --jq .spent.usd', explanation: 'the dollars alone' },
  ],
  read: (input) => ({ budget: input.argument('budget') }),
  async run({ budget }, context) {
    const path = { budget_id: await findBudgetId(context, budget) };
    printBudget(context, await unwrap(context.service().GET('/budgets/{budget_id}', { params: { path } })));
  },
});
