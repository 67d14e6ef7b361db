import type { MetricBucket, MetricSummary } from '../api/metrics.js';

type MetricRange = NonNullable<MetricBucket['cpu_usage']>;
type CustomRange = MetricBucket['custom'][string];

/** A point of a chart with a band; null: a gap. */
export interface BandPoint {
  /** Milliseconds since 1970; the middle of its bucket. */
  readonly at: number;
  readonly mean: number | null;
  readonly band: readonly [min: number, max: number] | null;
}

/** How fast totals rise within a bucket. */
export interface RatePoint {
  /** Milliseconds since 1970; the middle of its bucket. */
  readonly at: number;
  /** Each a second, by the name of the total; null: it was not reported. */
  readonly rates: Readonly<Record<string, number | null>>;
}

type Rises = Readonly<Record<string, (bucket: MetricBucket) => number | null | undefined>>;

/** Maximum number of empty buckets in a row before the line is interrupted: some reports are late. */
const MOST_MISSED = 2;

/** Minimum, mean and maximum of each bucket with samples, with a gap if several in a row have none. */
export function bandPoints(
  { buckets, bucket_seconds }: MetricSummary,
  rangeOf: (bucket: MetricBucket) => MetricRange | null | undefined,
): BandPoint[] {
  const length = bucket_seconds * 1_000;
  const points: BandPoint[] = [];
  for (const bucket of buckets) {
    const range = rangeOf(bucket);
    if (!range) continue;
    const at = Date.parse(bucket.timestamp) + length / 2;
    const last = points.at(-1);
    if (last && at - last.at > (MOST_MISSED + 1) * length) {
      points.push({ at: (last.at + at) / 2, mean: null, band: null });
    }
    points.push({ at, mean: range.mean, band: [range.min, range.max] });
  }
  return points;
}

/** Buckets at the edges of a range count if at least this share of them is within it: of less, one report more or less decides. */
const LEAST_COVERED = 0.5;

/**
 * How fast totals rise in each bucket. The first bucket is left out, because the total before its first sample is unknown, unless
 * there is no other.
 */
export function ratePoints(
  { since, until, buckets, bucket_seconds }: MetricSummary,
  rises: Rises,
): RatePoint[] {
  const names = Object.keys(rises);
  const range = { from: Date.parse(since), until: Date.parse(until) };
  const length = bucket_seconds * 1_000;
  const reported = buckets.filter((bucket) => names.some((name) => isNumber(rises[name]!(bucket))));
  return reported.slice(reported.length > 1 ? 1 : 0).flatMap((bucket) => {
    const begin = Date.parse(bucket.timestamp);
    const covered = Math.min(range.until, begin + length) - Math.max(range.from, begin);
    if (covered < length * LEAST_COVERED) return [];
    const rates = names.map((name) => [name, rateOf(rises[name]!(bucket), covered)] as const);
    return [{ at: begin + length / 2, rates: Object.fromEntries(rates) }];
  });
}

/** How much totals have risen in the whole range. */
export const riseIn = ({ buckets }: MetricSummary, riseOf: Rises[string]): number =>
  buckets.reduce((sum, bucket) => sum + (riseOf(bucket) ?? 0), 0);

const isNumber = (value: unknown): value is number => typeof value === 'number';
const rateOf = (rise: number | null | undefined, ms: number) => (isNumber(rise) ? (rise * 1_000) / ms : null);

/** The range of one of the agent's own measurements. The agent chooses the names, and `constructor` is one like any other. */
export const customRange = ({ custom }: MetricBucket, name: string): CustomRange | undefined =>
  Object.hasOwn(custom, name) ? custom[name] : undefined;

/** Names of the agent's own measurements. */
export function customNames({ buckets }: MetricSummary): string[] {
  return [...new Set(buckets.flatMap(({ custom }) => Object.keys(custom)))].sort();
}
