/**
 * SQL for the budgets that keep an agent from being started: they are used up, and do more than to notify. By hand: the tables belong
 * to other features.
 *
 * @param columns of the row `budget`
 * @param agentId SQL for the agent's id
 */
export const usedUpBudgets = (columns: string, agentId: string) => `SELECT ${columns} FROM agents AS spender
  JOIN budgets AS budget ON budget.project_id = spender.user_id
    AND budget.state = 'exceeded' AND budget.period <> 'run' AND budget.on_exceeded <> 'notify'
    AND (budget.agent_id IS NULL OR budget.agent_id = spender.id)
    AND (budget.label IS NULL OR spender.labels @> budget.label)
  WHERE spender.id = ${agentId}`;
