import type { Budget } from '../../api/budgets.js';
import { TimeAgo } from '../../components/time-ago.js';

/** When the period ends, after which nothing is spent again. */
export function BudgetResets({ budget }: { readonly budget: Budget }) {
  if (budget.period === 'run') return 'for each run';
  return (
    <span className="nowrap">
      resets <TimeAgo at={budget.resets_at} />
    </span>
  );
}
