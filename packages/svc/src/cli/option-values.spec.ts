import { UsageError } from './failures.js';
import { laterMoment, moment, seconds, timeOf } from './option-values.js';

const NOW = new Date('2026-01-31T09:30:00.000Z');

describe('A time on a command line', () => {
  it.each([
    ['10m', '2026-01-31T09:20:00.000Z'],
    ['2d', '2026-01-29T09:30:00.000Z'],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.5+02:00', '2026-01-31T07:30:00.500Z'],
    // without a zone it is UTC, wherever the machine stands
    ['2026-01-31T09:30', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30:07', '2026-01-31T09:30:07.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(timeOf(moment(text), NOW)).toBe(expected);
  });

  it.each(['', 'yesterday', '10', '10w', '-5m', '2026-13-01', '31.01.2026', '1769851800'])(
    'is refused: "%s"',
    (text) => {
      expect(() => moment(text)).toThrow(UsageError);
    },
  );
});

describe('A later time on a command line', () => {
  it('is from now on, or absolute', () => {
    expect(timeOf(laterMoment('10m'), NOW)).toBe('2026-01-31T09:40:00.000Z');
    expect(timeOf(laterMoment('2026-01-31T12:00+02:00'), NOW)).toBe('2026-01-31T10:00:00.000Z');
    expect(() => laterMoment('soon')).toThrow(/from now on like 10m/);
  });
});

describe('A duration on a command line', () => {
  it('is in seconds, or in its unit', () => {
    expect(['90', '90s', '5m', '2h', '1d', '0'].map(seconds)).toEqual([90, 90, 300, 7_200, 86_400, 0]);
  });

  it.each(['', 'm', '1.5h', '-1', '5 m', '1w'])('is refused: "%s"', (text) => {
    expect(() => seconds(text)).toThrow(UsageError);
  });
});
