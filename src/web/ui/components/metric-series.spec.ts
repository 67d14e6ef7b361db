import type { MetricBucket, MetricSummary } from '../api/metrics.js';
import { bandPoints, customNames, customRange, ratePoints, riseIn } from './metric-series.js';

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
  custom_names: 0,
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

  it("have the names of the agent's own measurements", () => {
    const range = { min: 0, mean: 0, max: 0, rise: 0 };
    const own = summary(bucket(0, { custom: { b: range } }), bucket(1, { custom: { a: range, b: range } }));
    expect(customNames(own)).toEqual(['a', 'b']);
  });

  it('leave out buckets without the measurement when every object has a property of its name', () => {
    const range = { min: 0, mean: 3, max: 4, rise: 0 };
    const own = summary(bucket(0, { custom: { constructor: range } }), bucket(1));
    expect(bandPoints(own, (each) => customRange(each, 'constructor'))).toEqual([
      { at: MINUTE / 2, mean: 3, band: [0, 4] },
    ]);
  });
});

describe('The rates of totals', () => {
  const requests = (minute: number, count: number | null) => bucket(minute, { requests: count });
  const rates = (given: MetricSummary) =>
    ratePoints(given, { requests: (it) => it.requests }).map(({ rates: { requests: rate } }) => rate);

  it('are a second, of each bucket but the first, before which no total is known', () => {
    expect(rates(summary(requests(0, 6), requests(1, 30), requests(2, 0)))).toEqual([0.5, 0]);
    expect(rates(summary(requests(0, 6)))).toEqual([0.1]);
  });

  it('leave out buckets in which nothing was reported, and have null for the total that was not', () => {
    const both = summary(requests(0, 6), requests(1, null), bucket(2, { requests: null, errors: 60 }));
    const points = ratePoints(both, { requests: (it) => it.requests, errors: (it) => it.errors });
    expect(points).toEqual([{ at: 2.5 * MINUTE, rates: { requests: null, errors: 1 } }]);
  });

  it('count the part of the last bucket that is over, from half of it on', () => {
    const three = summary(requests(0, 0), requests(1, 60), requests(2, 60));
    expect(rates({ ...three, until: new Date(2.5 * MINUTE).toISOString() })).toEqual([1, 2]);
    expect(rates({ ...three, until: new Date(2.4 * MINUTE).toISOString() })).toEqual([1]);
  });

  it('have a sum of the whole range', () => {
    expect(riseIn(summary(requests(0, 6), requests(1, null), requests(2, 4)), (it) => it.requests)).toBe(10);
  });
});
