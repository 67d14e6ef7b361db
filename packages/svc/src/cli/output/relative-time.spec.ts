import { duration, relativeTime, shortTime } from './relative-time.js';

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

describe('The length of a step', () => {
  it('is in milliseconds, seconds or minutes', () => {
    expect([0.4, 812.5, 999, 4_123, 59_900, 125_000].map(shortTime)).toEqual([
      ...['0ms', '813ms', '999ms', '4.1s', '59.9s', '2m 5s'],
    ]);
  });
});
