import { Link } from 'react-router';
import type { Budget } from '../../api/budgets.js';
import { numberText } from '../../components/amounts.js';
import { BudgetMeter } from '../../components/budget-meter.js';
import { ShownText } from '../../components/exact-text.js';
import { StatusBadge } from '../../components/status-badge.js';
import classes from './overview.module.css';

const TITLE = 'Budgets near their limits';
const ALL = '/usage?tab=budgets';

export interface StrainedBudgetsProps {
  readonly total: number;
  /** The first of them. */
  readonly budgets: readonly Budget[];
}

/** The budgets that warn or are exceeded. */
export function StrainedBudgets({ total, budgets }: StrainedBudgetsProps) {
  if (total === 0) return null;
  return (
    <section className={classes.panel} aria-label={TITLE} data-tone="warn">
      <div className={classes.line}>
        <h3 className={classes.title}>{TITLE}</h3>
        <Link to={ALL} className={classes.total} aria-label={`${numberText(total)}: ${TITLE}`}>
          {numberText(total)}
        </Link>
      </div>
      <ul className={classes.budgets}>
        {budgets.map((budget) => (
          <li key={budget.id}>
            <span className={classes.budget}>
              <Link to={ALL} className={classes.name}>
                <ShownText text={budget.name} />
              </Link>
              <StatusBadge status={budget.state} />
            </span>
            <BudgetMeter budget={budget} />
          </li>
        ))}
      </ul>
    </section>
  );
}
