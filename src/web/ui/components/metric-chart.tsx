import '@mantine/charts/styles.layer.css';
import { CompositeChart } from '@mantine/charts';
import { ChartFigure, ChartTooltip } from './chart-figure.js';
import { type DeployMark, LABEL_SHARE } from './deploy-marks.js';
import type { BandPoint, RatePoint } from './metric-series.js';
import { amountText, digitsText, type MetricKind, rateScaleFor, scaleFor } from './metric-units.js';
import { timeTicks, type TimeSpan } from './time-ticks.js';

const DAY = 86_400_000;
/** A line needs two points, and a few look better with dots. */
const DOTS_BELOW = 4;

const hourMinute = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const dayMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The state that the charts of a page share. */
export interface ChartFrame {
  readonly span: TimeSpan;
  /** Vertical lines. */
  readonly marks: readonly DeployMark[];
}

interface BandChartProps {
  readonly title: string;
  readonly kind: MetricKind;
  readonly points: readonly BandPoint[];
  readonly frame: ChartFrame;
}

/** The mean as a line, within the band from the minimum to the maximum of each bucket. */
export function BandChart({ title, kind, points, frame }: BandChartProps) {
  const bands = points.flatMap(({ band }) => band ?? []);
  if (bands.length === 0) return null;
  const { factor, symbol } = scaleFor(kind, largest(bands));
  const shown = points.map((point) => scaled(point, factor));
  const text = (value: number) => amountText(value, symbol);
  return (
    <ChartFigure title={titleWith(title, symbol)} summary={bandSummary(shown, text)}>
      <CompositeChart
        {...axes(frame, symbol)}
        data={shown.map((point) => ({ ...point }))}
        series={[
          { name: 'band', type: 'area', color: 'var(--chart-1)' },
          { name: 'mean', type: 'line', color: 'var(--chart-1)' },
        ]}
        areaProps={{ isAnimationActive: false, strokeWidth: 0, fillOpacity: 0.25, activeDot: false }}
        lineProps={{ isAnimationActive: false }}
        withDots={bands.length / 2 < DOTS_BELOW}
        tooltipProps={{
          content: ({ payload }) => {
            const point = payload?.[0]?.payload as BandPoint | undefined;
            if (!point?.band) return null;
            return (
              <ChartTooltip at={moment.format(point.at)}>
                {text(point.mean!)} on average, {text(point.band[0])} to {text(point.band[1])}
              </ChartTooltip>
            );
          },
        }}
      />
    </ChartFigure>
  );
}

/** A total whose rate is shown. */
export interface RateSeries {
  /** The total's name in the points. */
  readonly name: string;
  readonly label: string;
  readonly color: string;
}

interface RateChartProps {
  readonly title: string;
  readonly kind: MetricKind;
  readonly series: readonly RateSeries[];
  readonly points: readonly RatePoint[];
  /** The amount by which the metric rose in the whole range. */
  readonly summary: string;
  readonly frame: ChartFrame;
}

/** How fast totals rise, as bars. */
export function RateChart({ title, kind, series, points, summary, frame }: RateChartProps) {
  if (points.length === 0) return null;
  const most = largest(points.flatMap(({ rates }) => series.map(({ name }) => rates[name] ?? 0)));
  const { factor, symbol } = rateScaleFor(kind, most);
  const data = points.map(({ at, rates }) => {
    const values = series.map(({ name }, index) => [`rate${index}`, times(rates[name] ?? null, factor)]);
    return { at, ...Object.fromEntries(values) } as RateDatum;
  });
  return (
    <ChartFigure title={titleWith(title, symbol)} summary={summary}>
      <CompositeChart
        {...axes(frame, symbol)}
        data={data}
        series={series.map(({ label, color }, index) => ({
          name: `rate${index}`,
          label,
          color,
          type: 'bar',
        }))}
        barProps={{ isAnimationActive: false }}
        withLegend={series.length > 1}
        tooltipProps={{
          content: ({ payload }) => {
            const datum = payload?.[0]?.payload as RateDatum | undefined;
            if (!datum) return null;
            const texts = series.map(({ label }, index) => {
              const amount = amountText(datum[`rate${index}`] ?? 0, symbol);
              return series.length > 1 ? `${label} ${amount}` : amount;
            });
            return <ChartTooltip at={moment.format(datum.at)}>{texts.join(', ')}</ChartTooltip>;
          },
        }}
      />
    </ChartFigure>
  );
}

/** A point in the form of the chart library, whose keys are no names that agents choose: it reads dots in keys as paths. */
type RateDatum = { readonly at: number } & Readonly<Record<string, number | null>>;

const largest = (values: readonly number[]) =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const times = (value: number | null, factor: number) => (value === null ? null : value * factor);

function scaled({ at, mean, band }: BandPoint, factor: number): BandPoint {
  return { at, mean: times(mean, factor), band: band && [band[0] * factor, band[1] * factor] };
}

/** A title with its unit: `CPU (%)`, `Requests per minute`. */
function titleWith(title: string, symbol: string): string {
  if (symbol === '') return title;
  if (symbol === '/s') return `${title} per second`;
  return symbol === '/min' ? `${title} per minute` : `${title} (${symbol})`;
}

/** A label is on the right of its line, unless the chart ends there. */
const labelPosition = (at: number, { from, until }: TimeSpan) =>
  until - at < (until - from) * LABEL_SHARE ? 'insideTopRight' : 'insideTopLeft';

function axes({ span, marks }: ChartFrame, symbol: string) {
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
    referenceLines: marks.map(({ at, version, hasLabel }) => ({
      x: at,
      color: 'var(--mantine-color-dimmed)',
      ...(hasLabel && { label: version, labelPosition: labelPosition(at, span) }),
    })),
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
      tickFormatter: (value: number) => digitsText(value, symbol),
    },
  } as const satisfies Partial<Parameters<typeof CompositeChart>[0]>;
}

function bandSummary(points: readonly BandPoint[], text: (value: number) => string): string {
  const bands = points.flatMap(({ band }) => (band === null ? [] : [band]));
  const least = Math.min(...bands.map(([min]) => min));
  const most = Math.max(...bands.map(([, max]) => max));
  const last = points.findLast(({ mean }) => mean !== null);
  return `last ${text(last!.mean!)}, between ${text(least)} and ${text(most)}`;
}
