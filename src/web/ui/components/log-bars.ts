import type { LogRow } from './log-buffer.js';

/** Lines of one length of time. */
export interface LogBar {
  /** The bar's beginning; milliseconds since 1970. */
  readonly at: number;
  readonly lines: number;
  readonly warnings: number;
  /** Lines with the level error or critical. */
  readonly errors: number;
}

export interface LogBars {
  /** Bars in the order of time, also those without lines. */
  readonly bars: readonly LogBar[];
  /** Length of time of a bar; milliseconds. */
  readonly step: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * HOUR),
];
const MOST_BARS = 60;

/** Number of lines over time, in at most 60 bars. Lines may be in any order: some arrive late. */
export function logBars(rows: readonly LogRow[]): LogBars {
  if (rows.length === 0) return { bars: [], step: SECOND };
  const times = rows.map(({ timestamp }) => Date.parse(timestamp));
  const range = times.reduce(
    ({ first, last }, time) => ({ first: Math.min(first, time), last: Math.max(last, time) }),
    { first: Infinity, last: -Infinity },
  );
  // a bar may begin before the first line and end after the last one
  const least = (range.last - range.first) / (MOST_BARS - 1);
  const step = STEPS.find((length) => length >= least) ?? Math.ceil(least / DAY) * DAY;
  const from = Math.floor(range.first / step);
  const bars = Array.from({ length: Math.floor(range.last / step) - from + 1 }, (_, index) => ({
    at: (from + index) * step,
    lines: 0,
    warnings: 0,
    errors: 0,
  }));
  for (const [index, { level }] of rows.entries()) {
    const bar = bars[Math.floor(times[index]! / step) - from]!;
    bar.lines += 1;
    if (level === 'warning') bar.warnings += 1;
    if (level === 'error' || level === 'critical') bar.errors += 1;
  }
  return { bars, step };
}
