const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'always' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const clockTime = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const dayMonth = new Intl.DateTimeFormat(undefined, { day: '2-digit', month: 'short' });
const dayMonthYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/**
 * A time relative to now: `12 sec. ago`, `in 3 days`.
 *
 * @param at and now in milliseconds
 */
export function relativeTime(at: number, now: number): string {
  const seconds = (at - now) / 1_000;
  const size = Math.abs(seconds);
  if (size < 2) return 'just now';
  const [unit, length] = UNITS.find(([, it]) => size >= it) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

/** The exact time in the viewer's zone, with its name. */
export const exactTime = (at: Date): string => exact.format(at);

/** `14:03:27.120`, in the viewer's zone, with the date if it is not today, and the year if it is not this one. */
export function momentOfLine(at: Date, now: Date): string {
  const time = clockTime.format(at);
  if (at.toDateString() === now.toDateString()) return time;
  const day = at.getFullYear() === now.getFullYear() ? dayMonth : dayMonthYear;
  return `${day.format(at)} ${time}`;
}
