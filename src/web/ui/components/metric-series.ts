import type { MetricBucket, MetricSummary } from '../api/metrics.js';

type MetricRange = NonNullable<MetricBucket['cpu_usage']>;

/** A point of a chart with a band; null: a gap. */
export interface BandPoint {
  /** Milliseconds since 1970; the middle of its bucket. */
  readonly at: number;
  readonly mean: number | null;
  readonly band: readonly [min: number, max: number] | null;
}

export interface CountPoint {
  readonly at: number;
  readonly requests: number | null;
  readonly errors: number | null;
}

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

/** Number of requests and errors in each bucket. */
export function countPoints({ buckets, bucket_seconds }: MetricSummary): CountPoint[] {
  return buckets
    .filter(({ requests, errors }) => requests !== null || errors !== null)
    .map(({ timestamp, requests, errors }) => ({
      at: Date.parse(timestamp) + bucket_seconds * 500,
      requests,
      errors,
    }));
}

/** Names of the agent's own measurements. */
export function customNames({ buckets }: MetricSummary): string[] {
  return [...new Set(buckets.flatMap(({ custom }) => Object.keys(custom)))].sort();
}
