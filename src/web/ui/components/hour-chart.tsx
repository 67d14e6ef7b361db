import '@mantine/charts/styles.layer.css';
import { CompositeChart } from '@mantine/charts';
import { ChartTooltip } from './chart-figure.js';
import classes from './hour-chart.module.css';

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export interface HourPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number | null;
  /** A part of it that is bad. */
  readonly bad?: number;
  readonly text: string;
}

export interface HourChartProps {
  readonly points: readonly HourPoint[];
  /** `line`: a level, such as the number of agents online; `bar`: what happened within the hour. */
  readonly kind: 'line' | 'bar';
  readonly isBad?: boolean;
}

/** A small chart of a day by the hour, without axes. Load it by lazy-charts.ts, because it imports the chart library. */
export function HourChart({ points, kind, isBad = false }: HourChartProps) {
  const data = points.map(({ value, bad = 0, ...point }) => ({
    ...point,
    value: value === null ? null : value - bad,
    bad,
  }));
  const color = isBad ? 'var(--bad)' : 'var(--chart-1)';
  return (
    <div className={classes.chart} aria-hidden>
      <CompositeChart
        h={56}
        dataKey="at"
        data={data}
        series={[
          { name: 'value', type: kind === 'line' ? 'area' : 'bar', color },
          ...(kind === 'bar' ? [{ name: 'bad', type: 'bar', color: 'var(--bad)' } as const] : []),
        ]}
        barProps={{ isAnimationActive: false, stackId: 'hour' }}
        areaProps={{ isAnimationActive: false }}
        curveType="stepAfter"
        withDots={false}
        gridAxis="none"
        tickLine="none"
        withXAxis={false}
        withYAxis={false}
        composedChartProps={{ accessibilityLayer: false, margin: { top: 2, right: 0, bottom: 0, left: 0 } }}
        tooltipProps={{
          content: ({ payload }) => {
            const point = payload?.[0]?.payload as HourPoint | undefined;
            return point ? (
              <ChartTooltip at={`from ${hour.format(point.at)}`}>{point.text}</ChartTooltip>
            ) : null;
          },
        }}
      />
    </div>
  );
}
