// Everything that imports the chart library: see lazy-charts.ts.
export { HourChart } from './hour-chart.js';
export { SpendChart } from './spend-chart.js';
export { UsageCharts } from './usage-charts.js';
