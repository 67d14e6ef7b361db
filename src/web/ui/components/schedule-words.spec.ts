import { clockText, inUnit, momentText } from './schedule-words.js';

it.each([
  [10, 10, 'seconds'],
  [90, 90, 'seconds'],
  [900, 15, 'minutes'],
  [3_600, 1, 'hours'],
  [172_800, 2, 'days'],
])('%i seconds are %i %s', (seconds, count, unit) => {
  expect(inUnit(seconds)).toEqual({ count, unit });
});

it.each([
  [{ cron: '0 9 * * MON-FRI', every_seconds: null }, '0 9 * * MON-FRI in Europe/Berlin'],
  [{ cron: null, every_seconds: 900 }, 'every 15 minutes'],
  [{ cron: null, every_seconds: 3_600 }, 'every hour'],
])('%j is shown as %s', (clock, text) => {
  expect(clockText({ ...clock, timezone: 'Europe/Berlin' })).toBe(text);
});

it('A due time is shown in words, in a time zone', () => {
  const at = new Date('2026-11-27T08:00:00.000Z');
  // Versions of the locale's data differ by a comma.
  const text = (moment: Date, zone: string) => momentText(moment, zone, 'en-GB').replace(',', '');
  expect(text(at, 'Europe/Berlin')).toBe('Friday 27 November 2026 at 09:00');
  expect(text(at, 'America/New_York')).toBe('Friday 27 November 2026 at 03:00');
  expect(text(new Date('2026-11-27T08:00:10.000Z'), 'UTC')).toBe('Friday 27 November 2026 at 08:00:10');
});
