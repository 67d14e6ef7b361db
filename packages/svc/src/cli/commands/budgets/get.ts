import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { budgetArgument, findBudgetId } from '../../find-budget.js';
import { printBudget } from './columns.js';

export const command = defineCommand({
  arguments: [budgetArgument],
  details: 'The amount spent is updated when usage arrives, and every ten seconds.',
  examples: [
    { command: 'budgets get team', explanation: 'how much is spent, and when the period ends' },
    { command: 'budgets get team --jq .spent.usd', explanation: 'only the dollars' },
  ],
  read: (input) => ({ budget: input.argument('budget') }),
  async run({ budget }, context) {
    const path = { budget_id: await findBudgetId(context, budget) };
    printBudget(context, await unwrap(context.service().GET('/budgets/{budget_id}', { params: { path } })));
  },
});
