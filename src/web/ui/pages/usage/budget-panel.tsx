import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { type Budget, useBudgets } from '../../api/budgets.js';
import { BudgetMeter } from '../../components/budget-meter.js';
import { worstFirst } from '../../components/budget-words.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { StatusBadge } from '../../components/status-badge.js';
import { BudgetResets } from './budget-resets.js';
import classes from './usage.module.css';

/** Budgets that stand next to the spend; the tab of budgets has the others. */
const MOST_SHOWN = 5;

/** The budgets nearest to their limits. */
export function BudgetPanel() {
  const list = useBudgets();
  return (
    <section aria-label="Budgets" className={classes.panel}>
      <div className={classes.line}>
        <h2 className={classes.title}>Budgets</h2>
        <Anchor component={Link} to="/usage?tab=budgets" size="sm">
          {list.rows.length === 0 ? 'Set one' : 'All budgets'}
        </Anchor>
      </div>
      {list.error && <ErrorNotice error={list.error} onRetry={list.refetch} />}
      {list.isPending && <Pending rows={2} />}
      {!list.isPending && !list.error && list.rows.length === 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          No budgets yet.
        </Text>
      )}
      <ul className={classes.budgets}>
        {worstFirst(list.rows)
          .slice(0, MOST_SHOWN)
          .map((budget) => (
            <Line key={budget.id} budget={budget} />
          ))}
      </ul>
    </section>
  );
}

function Line({ budget }: { readonly budget: Budget }) {
  return (
    <li>
      <div className={classes.name}>
        {budget.name}
        <StatusBadge status={budget.state} />
      </div>
      <BudgetMeter budget={budget} />
      <span className={classes.resets}>
        <BudgetResets budget={budget} />
      </span>
    </li>
  );
}
