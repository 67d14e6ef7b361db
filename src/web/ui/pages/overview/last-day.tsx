import { Suspense } from 'react';
import { Link } from 'react-router';
import type { Overview } from '@agent-control-plane/client';
import type { OverviewHour } from '../../api/overview.js';
import { numberText, roundCostText, uncostedText } from '../../components/amounts.js';
import { counted } from '../../components/counted.js';
import type { HourPoint } from '../../components/hour-chart.js';
import { HourChart } from '../../components/lazy-charts.js';
import classes from './overview.module.css';

interface Measure {
  readonly title: string;
  readonly to: string;
  readonly kind: 'line' | 'bar';
  readonly isBad?: boolean;
  readonly value: (hour: OverviewHour) => number | null;
  readonly bad?: (hour: OverviewHour) => number;
  readonly text: (hour: OverviewHour) => string;
  readonly sum: (hours: readonly OverviewHour[]) => string;
}

const sumOf = (hours: readonly OverviewHour[], value: (hour: OverviewHour) => number) =>
  hours.reduce((sum, hour) => sum + value(hour), 0);

const RUNS: Measure = {
  title: 'Runs',
  to: '/runs?range=24h',
  kind: 'bar',
  value: ({ runs }) => runs,
  bad: ({ failed_runs }) => failed_runs,
  text: ({ runs, failed_runs }) => `${counted(runs, 'run')}, ${numberText(failed_runs)} failed`,
  sum: (hours) =>
    `${numberText(sumOf(hours, ({ runs }) => runs))}, ${numberText(sumOf(hours, ({ failed_runs }) => failed_runs))} failed`,
};
const FAILURES: Measure = {
  title: 'Failures of deployments',
  to: '/deployments?failed=24h',
  kind: 'bar',
  isBad: true,
  value: ({ failures }) => failures,
  text: ({ failures }) => counted(failures, 'failure'),
  sum: (hours) => numberText(sumOf(hours, ({ failures }) => failures)),
};
const SPEND: Measure = {
  title: 'Spend',
  to: '/usage',
  kind: 'bar',
  value: ({ cost_usd }) => Number(cost_usd),
  text: ({ cost_usd }) => roundCostText(cost_usd),
  sum: (hours) => roundCostText(String(sumOf(hours, ({ cost_usd }) => Number(cost_usd)))),
};
const onlineMeasure = (online: number): Measure => ({
  title: 'Agents online',
  to: '/agents?connection=online',
  kind: 'line',
  value: ({ agents_online }) => agents_online,
  text: ({ agents_online }) =>
    agents_online === null ? 'Not counted' : `${counted(agents_online, 'agent')} at least`,
  sum: () => `${numberText(online)} now`,
});

export interface LastDayProps {
  readonly overview: Overview;
  /** Empty until they are loaded. */
  readonly hours: readonly OverviewHour[];
}

/** How it went in the last day: a small chart each, which leads to the counted items. */
export function LastDay({ overview, hours }: LastDayProps) {
  return (
    <section className={classes.panel} aria-label="The last day">
      <h2 className={classes.title}>The last day</h2>
      <div className={classes.charts}>
        <Chart measure={RUNS} hours={hours} />
        <Chart measure={FAILURES} hours={hours} />
        <Chart measure={SPEND} hours={hours} />
        <Chart measure={onlineMeasure(overview.agents_by_connection.online ?? 0)} hours={hours} />
      </div>
      <p className={classes.remark}>
        <Link to="/usage?range=month" className={classes.month}>
          {`${roundCostText(overview.spending.this_month.cost_usd)} this month, in UTC`}
        </Link>
        {[uncostedText(overview.spending.this_month)].map(
          (text) => text && <span key={text}>{`, ${text}`}</span>,
        )}
      </p>
    </section>
  );
}

function Chart({ measure, hours }: { readonly measure: Measure; readonly hours: readonly OverviewHour[] }) {
  const { title, to, kind, isBad, value, bad, text, sum } = measure;
  const points: HourPoint[] = hours.map((hour) => ({
    at: Date.parse(hour.hour),
    value: value(hour),
    ...(bad && { bad: bad(hour) }),
    text: text(hour),
  }));
  return (
    <Link to={to} className={classes.chart}>
      <span className={classes.label}>{title}</span>
      <span className={classes.sum}>{hours.length === 0 ? ' ' : sum(hours)}</span>
      <span className={classes.drawing}>
        <Suspense>
          {points.length > 0 && <HourChart points={points} kind={kind} {...(isBad && { isBad })} />}
        </Suspense>
      </span>
    </Link>
  );
}
