import type { SubmittedMetric } from '../metric-submission.js';
import type { DataPoint } from './data-points.js';

type Column = 'cpuUsage' | 'memoryUsage' | 'uptimeSeconds' | 'requestsProcessed' | 'errorsCount';

export type UsageColumns = Pick<SubmittedMetric, Column>;

const NO_USAGE: UsageColumns = {
  cpuUsage: null,
  memoryUsage: null,
  uptimeSeconds: null,
  requestsProcessed: null,
  errorsCount: null,
};

/** The units are those of `svc run`: percent and MiB. */
const PERCENT = 100;
const BYTES_IN_A_MEBIBYTE = 1024 * 1024;

interface Source {
  readonly column: Column;
  /** Converts the amount of a point to the unit of the column. */
  readonly convert?: (amount: number) => number;
  /** Restricts the source to points with this attribute. */
  readonly attribute?: string;
}

/** Metrics that fill columns: those with a column's own name, and some of OpenTelemetry's semantic conventions. */
const SOURCES = new Map<string, readonly Source[]>([
  ['cpu_usage', [{ column: 'cpuUsage' }]],
  ['memory_usage', [{ column: 'memoryUsage' }]],
  ['uptime_seconds', [{ column: 'uptimeSeconds' }]],
  ['requests_processed', [{ column: 'requestsProcessed' }]],
  ['errors_count', [{ column: 'errorsCount' }]],
  ['process.cpu.utilization', [{ column: 'cpuUsage', convert: (share) => share * PERCENT }]],
  ['process.memory.usage', [{ column: 'memoryUsage', convert: (bytes) => bytes / BYTES_IN_A_MEBIBYTE }]],
  ['process.uptime', [{ column: 'uptimeSeconds' }]],
  [
    'http.server.request.duration',
    [{ column: 'requestsProcessed' }, { column: 'errorsCount', attribute: 'error.type' }],
  ],
]);

const unchanged = (amount: number) => amount;

/** Adds up the points of one moment for the columns: one metric may have a point for each mode or route. */
export class UsageColumnSums {
  private readonly sums = new Map<Column, number>();

  add(metric: string, { amount, attributes, isDelta }: DataPoint): void {
    // A delta is no total, but the columns are totals.
    if (isDelta) return;
    for (const { column, convert = unchanged, attribute } of SOURCES.get(metric) ?? []) {
      if (attribute !== undefined && !attributes.some(({ key }) => key === attribute)) continue;
      this.sums.set(column, (this.sums.get(column) ?? 0) + convert(amount));
    }
  }

  /** The columns. One is null if it has no point, or if the sum is out of its range. */
  columns(): UsageColumns {
    const fitting = [...this.sums].filter(([column, sum]) =>
      column === 'requestsProcessed' || column === 'errorsCount'
        ? Number.isSafeInteger(sum) && sum >= 0
        : Number.isFinite(sum) && sum >= 0,
    );
    return { ...NO_USAGE, ...Object.fromEntries(fitting) };
  }
}
