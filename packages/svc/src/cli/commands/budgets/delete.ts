import { defineCommand } from '../../command.js';
import { confirm, yesOption } from '../../confirmation.js';
import { budgetArgument, findBudgetId } from '../../find-budget.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [budgetArgument],
  options: [yesOption],
  details: 'Agents that it paused are resumed.',
  examples: [
    { command: 'budgets delete team', explanation: 'asks first' },
    { command: 'budgets delete team --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({ budget: input.argument('budget'), isConfirmed: input.flag('yes') }),
  async run({ budget, isConfirmed }, context) {
    const budgetId = await findBudgetId(context, budget);
    await confirm(context, isConfirmed, () => `Delete the budget ${budget} (${budgetId})?`);
    await context.service().DELETE('/budgets/{budget_id}', { params: { path: { budget_id: budgetId } } });
    printDone(context, { deleted: budgetId }, `Deleted the budget ${budgetId}`);
  },
});
