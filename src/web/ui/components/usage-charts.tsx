import { SegmentedControl } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { type MetricSummary, useMetricSummary } from '../api/metrics.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { BandChart, CountChart } from './metric-chart.js';
import { bandPoints, countPoints, customNames } from './metric-series.js';
import { Pending } from './pending.js';
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

export interface UsageChartsProps {
  /** Path of the agent or deployment: `/api/dashboard/agents/...`. */
  readonly basePath: string;
}

/** Charts of CPU, memory, requests, errors and custom metrics. Load it by lazy-charts.ts, because it imports the chart library. */
export function UsageCharts({ basePath }: UsageChartsProps) {
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
      {summary.data && <Charts summary={summary.data} />}
    </section>
  );
}

function Charts({ summary }: { readonly summary: MetricSummary }) {
  if (summary.buckets.length === 0) {
    return (
      <EmptyState icon={IconChartLine} title="No measurements in this time">
        A runtime sends CPU and memory at <code>POST /agents/metrics</code>; <code>svc run</code> does so by
        itself.
      </EmptyState>
    );
  }
  const span = { from: Date.parse(summary.since), until: Date.parse(summary.until) };
  return (
    <div className={classes.charts}>
      <BandChart
        title="CPU"
        unit="%"
        points={bandPoints(summary, ({ cpu_usage }) => cpu_usage)}
        span={span}
      />
      <BandChart
        title="Memory"
        unit="MiB"
        points={bandPoints(summary, ({ memory_usage }) => memory_usage)}
        span={span}
      />
      <CountChart points={countPoints(summary)} span={span} />
      {customNames(summary).map((name) => (
        <BandChart
          key={name}
          title={name}
          unit=""
          points={bandPoints(summary, ({ custom }) => custom[name])}
          span={span}
        />
      ))}
    </div>
  );
}
