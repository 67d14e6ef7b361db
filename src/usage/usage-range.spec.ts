import { partsOf, usageRange } from './usage-range.js';
import type { UsageGrouping } from './usage.types.js';

const NOW = new Date('2026-03-10T09:30:00Z');
const at = (text: string) => new Date(text);

function rangeOf(grouping: UsageGrouping, since?: string, until?: string): string[] {
  const range = usageRange(
    {
      since: since === undefined ? undefined : at(since),
      until: until === undefined ? undefined : at(until),
    },
    grouping,
    NOW,
  );
  return [range.since, range.until].map((time) => time.toISOString().slice(0, 16));
}

describe('The range of a report on usage', () => {
  it('is the longest one for a request about a whole run', () => {
    const { since, until } = usageRange({}, 'model', NOW, true);
    expect((until.getTime() - since.getTime()) / 86_400_000).toBe(366);
  });

  it.each<[string, UsageGrouping, string | undefined, string | undefined, string[]]>([
    ['thirty whole days', 'agent', undefined, undefined, ['2026-02-09T00:00', '2026-03-11T00:00']],
    ['a day of hours', 'hour', undefined, undefined, ['2026-03-09T10:00', '2026-03-10T10:00']],
    [
      'to whole hours',
      'day',
      '2026-03-01T05:20Z',
      '2026-03-02T06:40Z',
      ['2026-03-01T05:00', '2026-03-02T07:00'],
    ],
    [
      'to the end of today',
      'day',
      '2026-03-10T09:10Z',
      '2099-01-01',
      ['2026-03-10T09:00', '2026-03-11T00:00'],
    ],
    [
      'thirty days before its end',
      'model',
      undefined,
      '2026-03-02',
      ['2026-01-31T00:00', '2026-03-02T00:00'],
    ],
    [
      'as long as it may be',
      'hour',
      '2026-02-07T09:30Z',
      undefined,
      ['2026-02-07T09:00', '2026-03-10T10:00'],
    ],
  ])('is %s', (_, grouping, since, until, expected) => {
    expect(rangeOf(grouping, since, until)).toEqual(expected);
  });

  it.each<[string, UsageGrouping, string, string | undefined]>([
    ['must be before until', 'day', '2026-03-02', '2026-03-02'],
    ['must be before until', 'hour', '2026-03-11', undefined],
    ['at most 31 days before until with group_by=hour', 'hour', '2026-02-07T09:29Z', undefined],
    ['at most 366 days before until with group_by=agent', 'agent', '2025-03-01', '2026-03-03'],
  ])('is refused where since %s', (message, grouping, since, until) => {
    expect(() => rangeOf(grouping, since, until)).toThrow(message);
  });
});

describe('The parts of a range', () => {
  const range = (since: string, until: string) => ({ since: at(since), until: at(until) });
  const parts = (since: string, until: string, longest: 'hour' | 'day' | 'week') =>
    partsOf(range(since, until), longest, NOW);

  it('are its whole days, and the hours before and after them', () => {
    expect(parts('2026-03-01T05:00Z', '2026-03-04T06:00Z', 'day')).toEqual({
      weeks: [],
      days: [range('2026-03-02', '2026-03-04')],
      hours: [range('2026-03-01T05:00Z', '2026-03-02'), range('2026-03-04', '2026-03-04T06:00Z')],
    });
    const days = range('2026-03-01', '2026-03-03');
    expect(partsOf(days, 'day', NOW)).toEqual({ weeks: [], days: [days], hours: [] });
  });

  it('are its whole weeks from Monday, and the days and hours before and after them', () => {
    expect(parts('2026-02-13T23:00Z', '2026-03-04T01:00Z', 'week')).toEqual({
      weeks: [range('2026-02-16', '2026-03-02')],
      days: [range('2026-02-14', '2026-02-16'), range('2026-03-02', '2026-03-04')],
      hours: [range('2026-02-13T23:00Z', '2026-02-14'), range('2026-03-04', '2026-03-04T01:00Z')],
    });
    const weeks = range('2026-02-16', '2026-02-23');
    expect(partsOf(weeks, 'week', NOW)).toEqual({ weeks: [weeks], days: [], hours: [] });
  });

  it('have the whole present week when the range reaches to the present', () => {
    expect(parts('2026-03-01', '2026-03-11', 'week')).toEqual({
      weeks: [range('2026-03-02', '2026-03-16')],
      days: [range('2026-03-01', '2026-03-02')],
      hours: [],
    });
    const past = range('2026-03-01', '2026-03-10');
    expect(partsOf(past, 'week', NOW).weeks).toEqual([range('2026-03-02', '2026-03-09')]);
  });

  it('are shorter ones when the range has no whole one', () => {
    const days = range('2026-03-03', '2026-03-09');
    expect(partsOf(days, 'week', NOW)).toEqual({ weeks: [], days: [days], hours: [] });
    const hours = range('2026-03-01T23:00Z', '2026-03-02T23:00Z');
    expect(partsOf(hours, 'week', NOW)).toEqual({ weeks: [], days: [], hours: [hours] });
  });

  it('are hours when only those can be read', () => {
    const days = range('2026-03-01', '2026-03-03');
    expect(partsOf(days, 'hour', NOW)).toEqual({ weeks: [], days: [], hours: [days] });
  });
});
