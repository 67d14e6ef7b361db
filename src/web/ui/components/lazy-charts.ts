import { lazy } from 'react';

/**
 * The charts, read when the first one is shown, because the chart library is larger than all pages. They are one module: a
 * library that two modules load for themselves would be in the file that all pages read.
 */
const charts = () => import('./charts.js');

export const HourChart = lazy(async () => ({ default: (await charts()).HourChart }));
export const SpendChart = lazy(async () => ({ default: (await charts()).SpendChart }));
export const UsageCharts = lazy(async () => ({ default: (await charts()).UsageCharts }));

/** Reads the charts while the data of a page is read whose first screen is a chart. A failure is shown where the chart is. */
export function readCharts(): void {
  charts().catch(() => undefined);
}
