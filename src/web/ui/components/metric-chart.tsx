import '@mantine/charts/styles.layer.css';
import { CompositeChart } from '@mantine/charts';
import { ChartFigure, ChartTooltip } from './chart-figure.js';
import { timeTicks, type TimeSpan } from './time-ticks.js';
import type { BandPoint, CountPoint } from './metric-series.js';

const DAY = 86_400_000;

const hourMinute = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const dayMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const amount = new Intl.NumberFormat('en', { maximumFractionDigits: 1, notation: 'standard' });
const tick = new Intl.NumberFormat('en', { maximumFractionDigits: 1, notation: 'compact' });

interface BandChartProps {
  readonly title: string;
  /** `%`; empty: unknown. */
  readonly unit: string;
  readonly points: readonly BandPoint[];
  readonly span: TimeSpan;
}

/** The mean as a line, within the band from the minimum to the maximum of each bucket. */
export function BandChart({ title, unit, points, span }: BandChartProps) {
  const measured = points.filter(({ band }) => band !== null);
  if (measured.length === 0) return null;
  const inUnit = (value: number) => `${amount.format(value)}${unit && ` ${unit}`}`;
  return (
    <ChartFigure title={unit === '' ? title : `${title} (${unit})`} summary={bandSummary(measured, inUnit)}>
      <CompositeChart
        {...axes(span)}
        data={points.map((point) => ({ ...point }))}
        series={[
          { name: 'band', type: 'area', color: 'var(--chart-1)' },
          { name: 'mean', type: 'line', color: 'var(--chart-1)' },
        ]}
        areaProps={{ isAnimationActive: false, strokeWidth: 0, fillOpacity: 0.25, activeDot: false }}
        lineProps={{ isAnimationActive: false }}
        // a line needs two points
        withDots={measured.length < 4}
        tooltipProps={{
          content: ({ payload }) => {
            const point = payload?.[0]?.payload as BandPoint | undefined;
            if (!point?.band) return null;
            return (
              <ChartTooltip at={moment.format(point.at)}>
                {inUnit(point.mean!)} on average, {inUnit(point.band[0])} to {inUnit(point.band[1])}
              </ChartTooltip>
            );
          },
        }}
      />
    </ChartFigure>
  );
}

/** Requests and errors of each bucket. */
export function CountChart({
  points,
  span,
}: {
  readonly points: readonly CountPoint[];
  readonly span: TimeSpan;
}) {
  if (points.length === 0) return null;
  const total = (of: 'requests' | 'errors') =>
    amount.format(points.reduce((sum, point) => sum + (point[of] ?? 0), 0));
  return (
    <ChartFigure
      title="Requests and errors"
      summary={`${total('requests')} requests, ${total('errors')} errors`}
    >
      <CompositeChart
        {...axes(span)}
        data={points.map((point) => ({ ...point }))}
        series={[
          { name: 'requests', label: 'Requests', type: 'bar', color: 'var(--chart-1)' },
          { name: 'errors', label: 'Errors', type: 'bar', color: 'var(--bad)' },
        ]}
        barProps={{ isAnimationActive: false }}
        withLegend
        tooltipProps={{
          content: ({ payload }) => {
            const point = payload?.[0]?.payload as CountPoint | undefined;
            if (!point) return null;
            return (
              <ChartTooltip at={moment.format(point.at)}>
                {amount.format(point.requests ?? 0)} requests, {amount.format(point.errors ?? 0)} errors
              </ChartTooltip>
            );
          },
        }}
      />
    </ChartFigure>
  );
}

function axes(span: TimeSpan) {
  const isLong = span.until - span.from > 2 * DAY;
  return {
    h: 200,
    dataKey: 'at',
    curveType: 'linear',
    connectNulls: false,
    strokeWidth: 1.8,
    gridAxis: 'x',
    tickLine: 'none',
    composedChartProps: { accessibilityLayer: false },
    xAxisProps: {
      type: 'number',
      domain: [span.from, span.until],
      scale: 'time',
      ticks: timeTicks(span),
      interval: 'preserveStartEnd',
      tickFormatter: (at: number) => (isLong ? dayMonth : hourMinute).format(at),
    },
    yAxisProps: {
      width: 52,
      // without it the uppermost label is moved below the edge, away from its line
      interval: 0,
      domain: [(least: number) => Math.min(0, least), 'auto'],
      tickFormatter: (value: number) => tick.format(value),
    },
  } as const satisfies Partial<Parameters<typeof CompositeChart>[0]>;
}

function bandSummary(points: readonly BandPoint[], inUnit: (value: number) => string): string {
  const bands = points.flatMap(({ band }) => (band === null ? [] : [band]));
  const least = Math.min(...bands.map(([min]) => min));
  const most = Math.max(...bands.map(([, max]) => max));
  return `last ${inUnit(points.at(-1)!.mean!)}, between ${inUnit(least)} and ${inUnit(most)}`;
}
