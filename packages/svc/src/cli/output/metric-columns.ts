import type { MetricRecord } from '@agent-control-plane/client';
import type { Context } from '../context.js';
import { duration, relativeTime } from './relative-time.js';
import type { Column } from './table.js';

/** Columns of metrics; the agent's author decides the units of CPU and memory. */
export function metricColumns(context: Context): Column<MetricRecord>[] {
  const now = context.now();
  return [
    { title: 'TIME', value: ({ timestamp }) => timestamp },
    { title: 'AGE', value: ({ timestamp }) => relativeTime(timestamp, now) },
    { title: 'CPU', value: ({ cpu_usage }) => cpu_usage },
    { title: 'MEMORY', value: ({ memory_usage }) => memory_usage },
    {
      title: 'UPTIME',
      value: ({ uptime_seconds }) => (uptime_seconds === null ? null : duration(uptime_seconds)),
    },
    { title: 'REQUESTS', value: ({ requests_processed }) => requests_processed },
    { title: 'ERRORS', value: ({ errors_count }) => errors_count },
    { title: 'CUSTOM', value: ({ custom }) => custom && JSON.stringify(custom), fit: 'detail' },
  ];
}
