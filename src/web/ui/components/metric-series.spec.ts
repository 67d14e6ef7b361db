import type { MetricBucket, MetricSummary } from '../api/metrics.js';
import { bandPoints, countPoints, customNames } from './metric-series.js';

const MINUTE = 60_000;

const bucket = (minute: number, more: Partial<MetricBucket> = {}): MetricBucket => ({
  timestamp: new Date(minute * MINUTE).toISOString(),
  cpu_usage: { min: 1, mean: 2, max: 267 },
  memory_usage: null,
  requests: null,
  errors: null,
  custom: {},
  ...more,
});
const summary = (...buckets: MetricBucket[]): MetricSummary => ({
  since: new Date(0).toISOString(),
  until: new Date(60 * MINUTE).toISOString(),
  bucket_seconds: 60,
  buckets,
});

describe('The points of a chart', () => {
  it('keep the peak of each bucket at its middle', () => {
    expect(bandPoints(summary(bucket(0)), ({ cpu_usage }) => cpu_usage)).toEqual([
      { at: MINUTE / 2, mean: 2, band: [1, 267] },
    ]);
    expect(bandPoints(summary(bucket(0)), ({ memory_usage }) => memory_usage)).toEqual([]);
  });

  it('are connected across a late report, but not across an outage', () => {
    const points = bandPoints(summary(bucket(0), bucket(3), bucket(10)), ({ cpu_usage }) => cpu_usage);
    expect(points.map(({ mean }) => mean)).toEqual([2, 2, null, 2]);
  });

  it('count requests and errors only where they are reported', () => {
    const counted = summary(bucket(0), bucket(1, { requests: 3, errors: 0 }));
    expect(countPoints(counted)).toEqual([{ at: 1.5 * MINUTE, requests: 3, errors: 0 }]);
  });

  it("have the names of the agent's own measurements", () => {
    const range = { min: 0, mean: 0, max: 0 };
    const own = summary(bucket(0, { custom: { b: range } }), bucket(1, { custom: { a: range, b: range } }));
    expect(customNames(own)).toEqual(['a', 'b']);
  });
});
