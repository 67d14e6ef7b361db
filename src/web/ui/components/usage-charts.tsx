import '@mantine/charts/styles.layer.css';
import { LineChart } from '@mantine/charts';
import { SegmentedControl, Text } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { timeTicks } from './time-ticks.js';
import { type Measurements, useMeasurements } from '../api/metrics.js';
import { EmptyState } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { Pending } from './pending.js';
import { shortId } from './short-id.js';
import { type TimeSpan, usageSeries, type UsageSeries, WITHOUT_DEPLOYMENT } from './usage-series.js';
import classes from './usage-charts.module.css';

const MINUTE = 60_000;

const RANGES = [
  { label: '15 min', value: String(15 * MINUTE) },
  { label: '1 h', value: String(60 * MINUTE) },
  { label: '6 h', value: String(360 * MINUTE) },
  { label: '24 h', value: String(1_440 * MINUTE) },
];

const COLORS = ['var(--chart-1)', 'var(--chart-2)', 'var(--chart-3)', 'var(--chart-4)'];
/** Dash patterns, so that lines differ in more than their colour. */
const DASHES = [undefined, '6 3', '2 3', '8 3 2 3'];

const hourMinute = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const amount = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export interface UsageChartsProps {
  /** Path of the agent or deployment: `/api/dashboard/agents/...`. */
  readonly basePath: string;
}

/** Charts of CPU and memory. Load it lazily, because it imports the chart library. */
export function UsageCharts({ basePath }: UsageChartsProps) {
  const [range, setRange] = useState(RANGES[1]!.value);
  const measurements = useMeasurements(basePath, Number(range));
  return (
    <section aria-label="Usage">
      <SegmentedControl
        size="xs"
        data={RANGES}
        value={range}
        onChange={setRange}
        aria-label="Time range"
        mb="sm"
      />
      {measurements.error && !measurements.data && (
        <ErrorNotice error={measurements.error} onRetry={() => void measurements.refetch()} />
      )}
      {measurements.isPending && <Pending rows={2} height={230} />}
      {measurements.data && <Charts measurements={measurements.data} rangeMs={Number(range)} />}
    </section>
  );
}

function Charts({
  measurements,
  rangeMs,
}: {
  readonly measurements: Measurements;
  readonly rangeMs: number;
}) {
  const { records, readAt, isCut } = measurements;
  const [cpu, memory] = useMemo(() => {
    const span = { from: readAt - rangeMs, until: readAt };
    return (['cpu_usage', 'memory_usage'] as const).map((measure) => usageSeries(records, measure, span));
  }, [records, readAt, rangeMs]);
  if (records.length === 0) {
    return (
      <EmptyState icon={IconChartLine} title="Nothing was measured in this time">
        A runtime sends CPU and memory at <code>POST /agents/metrics</code>; <code>svc run</code> does so by
        itself.
      </EmptyState>
    );
  }
  const span = { from: readAt - rangeMs, until: readAt };
  return (
    <div className={classes.charts}>
      <Chart title="CPU" series={cpu!} span={span} />
      <Chart title="Memory" series={memory!} span={span} />
      {isCut && (
        <Text size="xs" c="dimmed">
          Only the latest {records.length.toLocaleString('en')} measurements are shown.
        </Text>
      )}
    </div>
  );
}

interface ChartProps {
  readonly title: string;
  readonly series: UsageSeries;
  readonly span: TimeSpan;
}

function Chart({ title, series, span }: ChartProps) {
  const { names, points } = series;
  if (names.length === 0) return null;
  // a line needs two points
  const isSparse = points.filter((point) => names.some((name) => point[name] !== null)).length < 4;
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.caption}>
        <h2>{title}</h2>
        <span className={classes.summary}>{summary(series)}</span>
      </figcaption>
      <div aria-hidden>
        <LineChart
          h={200}
          data={[...points]}
          dataKey="at"
          series={names.map((name, index) => ({
            name,
            label: labelOf(name),
            color: COLORS[index]!,
            ...(DASHES[index] === undefined ? {} : { strokeDasharray: DASHES[index] }),
          }))}
          curveType="linear"
          withDots={isSparse}
          connectNulls={false}
          strokeWidth={1.8}
          withLegend={names.length > 1}
          valueFormatter={(value) => amount.format(value)}
          gridAxis="x"
          tickLine="none"
          lineChartProps={{ accessibilityLayer: false }}
          lineProps={{ isAnimationActive: false }}
          xAxisProps={{
            type: 'number',
            domain: [span.from, span.until],
            scale: 'time',
            ticks: timeTicks(span),
            interval: 'preserveStartEnd',
            tickFormatter: (at: number) => hourMinute.format(at),
          }}
          yAxisProps={{
            width: 52,
            // without it the uppermost label is moved below the edge, away from its line
            interval: 0,
            domain: [0, 'auto'],
            tickFormatter: (value: number) => amount.format(value),
          }}
          tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? moment.format(at) : '') }}
        />
      </div>
    </figure>
  );
}

const labelOf = (name: string): string =>
  name === WITHOUT_DEPLOYMENT ? 'without a deployment' : `deployment ${shortId(name)}`;

/** Summary of a chart in words, for screen readers. */
function summary({ names, points }: UsageSeries): string {
  const values = points
    .flatMap((point) => names.map((name) => point[name] ?? null))
    .filter((it) => it !== null);
  const last = points.findLast((point) => typeof point[names[0]!] === 'number')?.[names[0]!];
  if (last === undefined || last === null) return '';
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `now ${amount.format(last)}, between ${amount.format(least)} and ${amount.format(most)}`;
}
