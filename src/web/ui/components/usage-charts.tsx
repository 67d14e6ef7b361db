import { Anchor, SegmentedControl } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import { useDeploysWithin } from '../api/deployments.js';
import { type MetricSummary, useMetricSummary } from '../api/metrics.js';
import { type DeployMark, deployMarks } from './deploy-marks.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { BandChart, type ChartFrame, RateChart } from './metric-chart.js';
import { bandPoints, customNames, ratePoints, riseIn } from './metric-series.js';
import { amountText, type MetricKind, metricKindOf, scaleFor } from './metric-units.js';
import { Pending } from './pending.js';
import { TimeAgo } from './time-ago.js';
import classes from './usage-charts.module.css';

const MINUTE = 60_000;

const RANGES = [
  { label: '15 min', value: '15m', ms: 15 * MINUTE },
  { label: '1 h', value: '1h', ms: 60 * MINUTE },
  { label: '6 h', value: '6h', ms: 360 * MINUTE },
  { label: '24 h', value: '24h', ms: 1_440 * MINUTE },
  { label: '7 d', value: '7d', ms: 10_080 * MINUTE },
  { label: '30 d', value: '30d', ms: 43_200 * MINUTE },
] as const;
const USUAL = RANGES[1];

const CPU: MetricKind = { unit: 'percent', factor: 1, isCounter: false };
/** The service stores what `svc run` measures, in MiB. */
const MEMORY = metricKindOf('memory_mib');
const REQUESTS: MetricKind = { unit: 'number', factor: 1, isCounter: true };
/** Maximum number of deploys that are named above the charts. */
const NAMED = 10;

export interface UsageChartsProps {
  /** Path of the agent or deployment: `/api/dashboard/agents/...`. */
  readonly basePath: string;
  /** The agent whose deploys are marked. */
  readonly agentId: string;
}

/** Charts of CPU, memory, requests, errors and custom metrics. Load it by lazy-charts.ts, because it imports the chart library. */
export function UsageCharts({ basePath, agentId }: UsageChartsProps) {
  const [search, setSearch] = useSearchParams();
  const range = RANGES.find(({ value }) => value === search.get('range')) ?? USUAL;
  const choose = (value: string) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        next.set('range', value);
        return next;
      },
      { replace: true },
    );
  const summary = useMetricSummary(basePath, range.ms);
  const deploys = useDeploysWithin(agentId, range.ms);
  return (
    <section aria-label="Usage">
      <SegmentedControl
        size="xs"
        data={RANGES.map(({ label, value }) => ({ label, value }))}
        value={range.value}
        onChange={choose}
        aria-label="Time range"
        mb="sm"
      />
      {summary.error && !summary.data && (
        <ErrorNotice error={summary.error} onRetry={() => void summary.refetch()} />
      )}
      {summary.isPending && <Pending rows={2} height={230} />}
      {summary.data && <Charts summary={summary.data} deploys={deploys.data ?? []} />}
    </section>
  );
}

interface ChartsProps {
  readonly summary: MetricSummary;
  readonly deploys: Parameters<typeof deployMarks>[0];
}

function Charts({ summary, deploys }: ChartsProps) {
  if (summary.buckets.length === 0) {
    return (
      <EmptyState icon={IconChartLine} title="No measurements in this time">
        A runtime sends CPU and memory at <code>POST /agents/metrics</code>; <code>svc run</code> does so by
        itself.
      </EmptyState>
    );
  }
  const span = { from: Date.parse(summary.since), until: Date.parse(summary.until) };
  const frame: ChartFrame = { span, marks: deployMarks(deploys, span) };
  return (
    <div className={classes.charts}>
      <Deploys marks={frame.marks} />
      <BandChart
        title="CPU"
        kind={CPU}
        points={bandPoints(summary, ({ cpu_usage }) => cpu_usage)}
        frame={frame}
      />
      <BandChart
        title="Memory"
        kind={MEMORY}
        points={bandPoints(summary, ({ memory_usage }) => memory_usage)}
        frame={frame}
      />
      <RequestsChart summary={summary} frame={frame} />
      {customNames(summary).map((name) => (
        <CustomChart key={name} name={name} summary={summary} frame={frame} />
      ))}
    </div>
  );
}

interface FramedProps {
  readonly summary: MetricSummary;
  readonly frame: ChartFrame;
}

function RequestsChart({ summary, frame }: FramedProps) {
  const total = (riseOf: Parameters<typeof riseIn>[1]) => amountText(riseIn(summary, riseOf), '');
  return (
    <RateChart
      title="Requests and errors"
      kind={REQUESTS}
      series={[
        { name: 'requests', label: 'Requests', color: 'var(--chart-1)' },
        { name: 'errors', label: 'Errors', color: 'var(--bad)' },
      ]}
      points={ratePoints(summary, {
        requests: ({ requests }) => requests,
        errors: ({ errors }) => errors,
      })}
      summary={`${total(({ requests }) => requests)} requests, ${total(({ errors }) => errors)} errors`}
      frame={frame}
    />
  );
}

/** A measurement of the agent's own: the rate of a counter, and the range of anything else. */
function CustomChart({ name, summary, frame }: FramedProps & { readonly name: string }) {
  const kind = metricKindOf(name);
  if (!kind.isCounter) {
    return (
      <BandChart
        title={name}
        kind={kind}
        points={bandPoints(summary, ({ custom }) => custom[name])}
        frame={frame}
      />
    );
  }
  const riseOf: Parameters<typeof riseIn>[1] = ({ custom }) => custom[name]?.rise;
  const rise = riseIn(summary, riseOf);
  const { factor, symbol } = scaleFor(kind, rise);
  return (
    <RateChart
      title={name}
      kind={kind}
      series={[{ name: 'rise', label: name, color: 'var(--chart-1)' }]}
      points={ratePoints(summary, { rise: riseOf })}
      summary={`${amountText(rise * factor, symbol)} more in this time`}
      frame={frame}
    />
  );
}

/** The deploys that the charts mark, in words, with links; newest first. */
function Deploys({ marks }: { readonly marks: readonly DeployMark[] }) {
  if (marks.length === 0) return null;
  const named = marks.slice(-NAMED).reverse();
  return (
    <p className={classes.deploys}>
      Deployed in this time:{' '}
      {named.map(({ deploymentId, at, version }, index) => (
        <span key={deploymentId}>
          {index > 0 && ', '}
          <Anchor component={Link} to={`/deployments/${deploymentId}`} inherit underline="always">
            {version}
          </Anchor>{' '}
          <TimeAgo at={new Date(at).toISOString()} />
        </span>
      ))}
      {marks.length > NAMED && ` and ${marks.length - NAMED} before`}
    </p>
  );
}
