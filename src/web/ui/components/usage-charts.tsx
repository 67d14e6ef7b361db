import { Anchor, SegmentedControl, Text } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useDeploysWithin } from '../api/deployments.js';
import { type MetricSummary, useMetricSummary } from '../api/metrics.js';
import { useAddressFilter } from './address-filter.js';
import { counted } from './counted.js';
import { type DeployMark, deployMarks } from './deploy-marks.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { BandChart, type ChartFrame, RateChart } from './metric-chart.js';
import { bandPoints, customNames, customRange, ratePoints, riseIn } from './metric-series.js';
import { amountText, type MetricKind, metricKindOf, scaleFor } from './metric-units.js';
import { Pending } from './pending.js';
import { SearchField } from './search-field.js';
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
  const [search, set] = useAddressFilter();
  const range = RANGES.find(({ value }) => value === search.get('range')) ?? USUAL;
  const name = search.get('metric') ?? '';
  const summary = useMetricSummary(basePath, range.ms, name);
  const deploys = useDeploysWithin(agentId, range.ms);
  return (
    <section aria-label="Usage">
      <SegmentedControl
        size="xs"
        data={RANGES.map(({ label, value }) => ({ label, value }))}
        value={range.value}
        onChange={(value) => set('range', value)}
        aria-label="Time range"
        mb="sm"
      />
      {summary.error && !summary.data && (
        <ErrorNotice error={summary.error} onRetry={() => void summary.refetch()} />
      )}
      {summary.isPending && <Pending rows={2} height={230} />}
      {summary.data && (
        <Charts summary={summary.data} deploys={deploys.data ?? []} isSearched={name !== ''}>
          <NameSearch
            value={name}
            count={summary.data.custom_names}
            shown={customNames(summary.data).length}
            onChange={(value) => set('metric', value)}
          />
        </Charts>
      )}
    </section>
  );
}

interface ChartsProps {
  readonly summary: MetricSummary;
  readonly deploys: Parameters<typeof deployMarks>[0];
  /** True: only measurements with a text in their names are wanted. */
  readonly isSearched: boolean;
  /** Stands above the agent's own measurements. */
  readonly children: ReactNode;
}

function Charts({ summary, deploys, isSearched, children }: ChartsProps) {
  if (summary.buckets.length === 0 && !isSearched) {
    return (
      <EmptyState icon={IconChartLine} title="No metrics in this period">
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
      {children}
      {customNames(summary).map((name) => (
        <CustomChart key={name} name={name} summary={summary} frame={frame} />
      ))}
    </div>
  );
}

interface NameSearchProps {
  readonly value: string;
  /** Number of measurements whose names have the text. */
  readonly count: number;
  readonly shown: number;
  readonly onChange: (value: string | null) => void;
}

/** A search among the agent's own measurements, where there are more than charts. */
function NameSearch({ value, count, shown, onChange }: NameSearchProps) {
  if (value === '' && count <= shown) return null;
  return (
    <div className={classes.search}>
      <SearchField label="Search metrics" value={value} onChange={onChange} />
      <Text size="sm" c="dimmed" role="status">
        {count > shown
          ? `The first ${shown} of ${counted(count, 'metric')}, by name. Search for the others.`
          : `${counted(count, 'metric')} found`}
      </Text>
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
        points={bandPoints(summary, (bucket) => customRange(bucket, name))}
        frame={frame}
      />
    );
  }
  const riseOf: Parameters<typeof riseIn>[1] = (bucket) => customRange(bucket, name)?.rise;
  const rise = riseIn(summary, riseOf);
  const { factor, symbol } = scaleFor(kind, rise);
  return (
    <RateChart
      title={name}
      kind={kind}
      series={[{ name: 'rise', label: name, color: 'var(--chart-1)' }]}
      points={ratePoints(summary, { rise: riseOf })}
      summary={`${amountText(rise * factor, symbol)} more in this period`}
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
      Deployed in this period:{' '}
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
