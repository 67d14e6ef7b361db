import { usageSeries } from './usage-series.js';

const HOUR = 3_600_000;
const span = { from: 0, until: HOUR };

const record = (at: number, cpu: number | null, deployment: string | null = 'one') => ({
  id: `${deployment}-${at}`,
  agent_id: 'agent',
  deployment_id: deployment,
  cpu_usage: cpu,
  memory_usage: null,
  uptime_seconds: null,
  requests_processed: null,
  errors_count: null,
  custom: null,
  timestamp: new Date(at).toISOString(),
});

/** Samples, newest first, as in the service's reply. */
const every = (stepMs: number, from: number, until: number, deployment = 'one') =>
  Array.from({ length: Math.floor((until - from) / stepMs) }, (_, index) =>
    record(until - index * stepMs - 1, 50, deployment),
  );

describe('usageSeries', () => {
  it('draws an unbroken line through regular samples', () => {
    const { points } = usageSeries(every(30_000, 0, HOUR), 'cpu_usage', span);
    expect(points.filter(({ one }) => one === null)).toEqual([]);
    expect(points.length).toBeGreaterThan(60);
  });

  it('leaves a gap where there are no samples', () => {
    const records = [...every(30_000, HOUR / 2, HOUR), ...every(30_000, 0, HOUR / 4)];
    const { points } = usageSeries(records, 'cpu_usage', span);
    const isEmpty = points.map(({ one }) => one === null);
    expect(isEmpty.indexOf(true)).toBeGreaterThan(0);
    expect(points.every(({ at, one }) => (one === null) === (at > HOUR / 4 && at < HOUR / 2))).toBe(true);
  });

  it('draws an unbroken line through samples that are less frequent than those of another series', () => {
    const often = every(5_000, HOUR / 2, HOUR);
    const drawn = (records: ReturnType<typeof every>, name: string) => {
      const { points } = usageSeries(records, 'cpu_usage', span);
      const line = points.map((point) => point[name] ?? null);
      const from = line.findIndex((it) => it !== null);
      return [
        from,
        line
          .slice(
            from,
            line.findLastIndex((it) => it !== null),
          )
          .filter((it) => it === null),
      ];
    };
    expect(drawn([...often, ...every(30_000, 0, HOUR, 'two')], 'two')).toEqual([expect.any(Number), []]);
    const [from, gaps] = drawn([...often, ...every(30_000, 0, HOUR / 2)], 'one');
    expect(from).toBeLessThan(5);
    expect(gaps).toEqual([]);
  });

  it('shows the mean of samples in one bucket, and never more points than the maximum', () => {
    const records = [record(900, 30), record(600, 20), record(100, 10)];
    expect(usageSeries(records, 'cpu_usage', { from: 0, until: 1_000 }).points[0]?.one).toBe(15);
    expect(usageSeries(every(100, 0, HOUR / 10), 'cpu_usage', span).points.length).toBeLessThanOrEqual(240);
  });

  it('has a line for each deployment, those measured last first, up to the limit', () => {
    const records = ['a', 'b', 'c'].map((name, index) => record(HOUR - index, 1, name));
    expect(usageSeries([...records, record(1, 1, null)], 'cpu_usage', span, 4).names).toEqual([
      'a',
      'b',
      'c',
      'agent',
    ]);
    expect(usageSeries(records, 'cpu_usage', span, 2).names).toEqual(['a', 'b']);
  });

  it('ignores missing values and samples outside the span', () => {
    const records = [record(HOUR + 1, 5), record(10, null)];
    expect(usageSeries(records, 'cpu_usage', span).names).toEqual([]);
    expect(usageSeries([record(10, 5)], 'memory_usage', span).names).toEqual([]);
  });
});
