import '@mantine/charts/styles.layer.css';
import { CompositeChart } from '@mantine/charts';
import type { UsageReport } from '../api/usage.js';
import { ChartFigure, ChartTooltip } from './chart-figure.js';
import { type Measure, type UsagePoint, usagePoints } from './usage-points.js';

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
// days are those of UTC
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' });
const dollarTick = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumSignificantDigits: 3,
});
const tick = new Intl.NumberFormat('en', { maximumFractionDigits: 1, notation: 'compact' });

export interface SpendChartProps {
  /** By the day or the hour. */
  readonly report: UsageReport;
  readonly measure: Measure;
}

/** Usage of each day or hour as bars. Load it by lazy-charts.ts, because it imports the chart library. */
export function SpendChart({ report, measure }: SpendChartProps) {
  const isByHour = report.group_by === 'hour';
  const points = usagePoints(report, measure);
  return (
    <ChartFigure
      title={isByHour ? `${measure.label} by hour` : `${measure.label} by day, in UTC`}
      summary={measure.text(report.total)}
    >
      <CompositeChart
        h={220}
        dataKey="at"
        data={points.map((point) => ({ ...point }))}
        series={[{ name: 'value', type: 'bar', color: 'var(--chart-1)' }]}
        barProps={{ isAnimationActive: false, maxBarSize: 48 }}
        gridAxis="x"
        tickLine="none"
        composedChartProps={{ accessibilityLayer: false }}
        xAxisProps={{
          interval: 'equidistantPreserveStart',
          minTickGap: 24,
          tickFormatter: (at: number) => (isByHour ? hour : day).format(at),
        }}
        yAxisProps={{
          width: 60,
          interval: 0,
          tickFormatter: (value: number) => (measure.value === 'cost' ? dollarTick : tick).format(value),
        }}
        tooltipProps={{
          content: ({ payload }) => {
            const point = payload?.[0]?.payload as UsagePoint | undefined;
            if (!point) return null;
            return (
              <ChartTooltip at={(isByHour ? moment : wholeDay).format(point.at)}>{point.text}</ChartTooltip>
            );
          },
        }}
      />
    </ChartFigure>
  );
}
