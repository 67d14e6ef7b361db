import type { Budget } from '../api/budgets.js';
import classes from './budget-meter.module.css';
import { shareOf, spentText } from './budget-words.js';

/** How much of the limit is spent: as a bar, with a mark where it warns, and in words. */
export function BudgetMeter({ budget }: { readonly budget: Budget }) {
  const share = Math.min(1, shareOf(budget));
  return (
    <div className={classes.meter}>
      <div className={classes.bar} data-state={budget.state} aria-hidden>
        <div className={classes.spent} style={{ width: `${share * 100}%` }} />
        {budget.warn_at > 0 && budget.warn_at < 1 && (
          <div className={classes.mark} style={{ left: `${budget.warn_at * 100}%` }} />
        )}
      </div>
      <span className={classes.text}>{spentText(budget)}</span>
    </div>
  );
}
