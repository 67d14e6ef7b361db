import { amountText, metricKindOf, rateScaleFor, scaleFor } from './metric-units.js';

describe('metricKindOf', () => {
  it.each([
    ['http_sent_bytes_total', 'bytes', 1, true],
    ['heap_mib', 'bytes', 1_048_576, false],
    ['latencyMs', 'seconds', 0.001, false],
    ['http.server.duration.seconds{route="/pay"}', 'seconds', 1, false],
    ['cache_hit_ratio', 'percent', 100, false],
    ['spent_usd', 'dollars', 1, false],
    ['orders_total{kind="book"}', 'number', 1, true],
    ['total', 'number', 1, false],
    ['queue_constructor', 'number', 1, false],
    ['', 'number', 1, false],
  ] as const)('reads %j as %s', (name, unit, factor, isCounter) => {
    expect(metricKindOf(name)).toEqual({ unit, factor, isCounter });
  });
});

describe('scaleFor', () => {
  const shown = (name: string, value: number) => {
    const { factor, symbol } = scaleFor(metricKindOf(name), Math.abs(value));
    return amountText(value * factor, symbol);
  };

  it.each([
    ['sent_bytes', 0, '0 B'],
    ['sent_bytes', 1_023, '1,023 B'],
    ['sent_bytes', 1_047_552.5, '1,020 KiB'],
    ['heap_mib', 1_536, '1.5 GiB'],
    ['latency_ms', 250, '250 ms'],
    ['latency_ms', 0.25, '250 µs'],
    ['latency_ms', 0, '0 s'],
    ['wait_seconds', -5_400, '-1.5 h'],
    ['hit_ratio', 0.98765, '98.8 %'],
    ['queue', 9_999, '9,999'],
    ['queue', 12_345, '12.3K'],
    ['queue', 0.000_123_4, '0.000123'],
  ])('shows %s %d as %s', (name, value, text) => {
    expect(shown(name, value)).toBe(text);
  });
});

describe('rateScaleFor', () => {
  const shown = (name: string, rate: number) => {
    const { factor, symbol } = rateScaleFor(metricKindOf(name), rate);
    return amountText(rate * factor, symbol);
  };

  it.each([
    ['orders_total', 2.5, '2.5/s'],
    ['orders_total', 0.5, '30/min'],
    ['orders_total', 0, '0/s'],
    ['sent_bytes_total', 2_097_152, '2 MiB/s'],
    ['cpu_seconds_total', 0.25, '15 s/min'],
  ])('shows %s that rises by %d a second as %s', (name, rate, text) => {
    expect(shown(name, rate)).toBe(text);
  });
});
