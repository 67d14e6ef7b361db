import { duration, relativeTime } from './relative-time.js';

const NOW = new Date('2026-01-31T09:30:00.000Z');

describe('A relative time', () => {
  it.each([
    ['2026-01-31T09:30:01.500Z', 'now'],
    ['2026-01-31T09:29:58.500Z', 'now'],
    ['2026-01-31T09:29:01.000Z', '59s ago'],
    ['2026-01-31T08:30:01.000Z', '59m ago'],
    ['2026-01-30T09:30:01.000Z', '23h ago'],
    ['2025-01-31T09:30:00.000Z', '365d ago'],
    ['2026-01-31T10:30:00.000Z', 'in 1h'],
    ['no time', 'no time'],
    [null, ''],
  ])('%s: %s', (timestamp, expected) => {
    expect(relativeTime(timestamp, NOW)).toBe(expected);
  });

  it('has the largest whole unit', () => {
    expect([0, 59.9, 60, 3_599, 86_399, 86_400].map(duration)).toEqual([
      '0s',
      '59s',
      '1m',
      '59m',
      '23h',
      '1d',
    ]);
  });
});
