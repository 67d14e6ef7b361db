import { Link } from 'react-router';
import type { Overview, Usage } from '@agent-control-plane/client';
import { roundCostText, uncostedText } from '../../components/amounts.js';
import classes from './overview.module.css';

/** What was spent today and in this month, each a link to the usage. */
export function Spending({ spending }: Pick<Overview, 'spending'>) {
  return (
    <section className={classes.panel} aria-label="Spend">
      <h2 className={classes.title}>Spend, in UTC</h2>
      <ul className={classes.counts}>
        <Sum label="Today" usage={spending.today} />
        <Sum label="This month" usage={spending.this_month} />
      </ul>
    </section>
  );
}

function Sum({ label, usage }: { readonly label: string; readonly usage: Usage }) {
  const uncosted = uncostedText(usage);
  return (
    <li data-is-none={Number(usage.cost_usd) === 0}>
      <Link to="/usage?range=month" className={classes.count}>
        <span className={classes.number}>{roundCostText(usage.cost_usd)}</span>
        <span className={classes.label}>{label}</span>
        {uncosted && <span className={classes.remark}>{uncosted}</span>}
      </Link>
    </li>
  );
}
