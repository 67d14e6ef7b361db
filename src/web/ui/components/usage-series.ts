import type { MetricRecord } from '@agent-control-plane/client';

/** Most points of a line; more can't be distinguished on a screen. */
const MOST_BUCKETS = 240;

export interface TimeSpan {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

export interface UsagePoint {
  /** Milliseconds since 1970; the middle of its bucket. */
  readonly at: number;
  /** By series: the mean of the samples, or an interpolated value; null: a gap in the line. */
  readonly [series: string]: number | null;
}

export type Measure = 'cpu_usage' | 'memory_usage';

export interface UsageSeries {
  /** Deployments, the most recently measured first; an empty name: samples without a deployment. */
  readonly names: readonly string[];
  readonly points: readonly UsagePoint[];
}

export const WITHOUT_DEPLOYMENT = 'agent';

/**
 * The data of a chart: one line for each deployment, in buckets of equal length. A bucket is never shorter than the time
 * between two samples, so that a gap in the line is a gap in the samples.
 *
 * @param records newest first
 * @param most series; those measured longest ago are left out
 */
export function usageSeries(
  records: readonly MetricRecord[],
  measure: Measure,
  span: TimeSpan,
  most = 4,
): UsageSeries {
  const bySeries = new Map<string, { at: number; value: number }[]>();
  for (const record of records) {
    const value = record[measure];
    const at = Date.parse(record.timestamp);
    if (value === null || at < span.from || at > span.until) continue;
    const name = record.deployment_id ?? WITHOUT_DEPLOYMENT;
    const measured = bySeries.get(name);
    if (measured) measured.push({ at, value });
    else bySeries.set(name, [{ at, value }]);
  }
  const names = [...bySeries.keys()].slice(0, most);
  const length = bucketLength(
    names.map((name) => bySeries.get(name)!.map(({ at }) => at)),
    span,
  );
  const count = Math.max(1, Math.ceil((span.until - span.from) / length));
  const means = names.map((name) => meansOf(bySeries.get(name)!, span.from, length, count));
  const points = Array.from({ length: count }, (_, bucket) => ({
    at: Math.round(span.from + (bucket + 0.5) * length),
    ...Object.fromEntries(names.map((name, index) => [name, means[index]![bucket]!])),
  }));
  return { names, points };
}

function bucketLength(series: readonly (readonly number[])[], { from, until }: TimeSpan): number {
  const gaps = series.flatMap((times) => times.slice(1).map((at, index) => Math.abs(times[index]! - at)));
  const median = gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
  return Math.max((until - from) / MOST_BUCKETS, median * 1.5, 1);
}

function meansOf(
  measured: readonly { at: number; value: number }[],
  from: number,
  length: number,
  count: number,
): (number | null)[] {
  const sums = Array.from({ length: count }, () => ({ sum: 0, size: 0 }));
  for (const { at, value } of measured) {
    const bucket = sums[Math.min(count - 1, Math.floor((at - from) / length))]!;
    bucket.sum += value;
    bucket.size += 1;
  }
  return bridged(sums.map(({ sum, size }) => (size === 0 ? null : sum / size)));
}

/** Factor by which the time between two samples may exceed the one beside it. */
const UNEVEN = 1.5;

/**
 * Fills buckets that are empty only because another series has more frequent samples: the time over them is no longer than
 * that of the neighbours.
 */
function bridged(means: readonly (number | null)[]): (number | null)[] {
  const measured = means.flatMap((mean, bucket) => (mean === null ? [] : [{ bucket, mean }]));
  const steps = measured.slice(1).map(({ bucket }, index) => bucket - measured[index]!.bucket);
  const line = [...means];
  for (const [index, step] of steps.entries()) {
    if (step > UNEVEN * Math.max(steps[index - 1] ?? 0, steps[index + 1] ?? 0)) continue;
    const [start, end] = [measured[index]!, measured[index + 1]!];
    for (let past = 1; past < step; past += 1) {
      line[start.bucket + past] = start.mean + ((end.mean - start.mean) * past) / step;
    }
  }
  return line;
}
