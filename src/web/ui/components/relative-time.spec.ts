import { momentOfLine, relativeTime } from './relative-time.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 31);

describe('relativeTime', () => {
  it.each([
    [0, 'just now'],
    [-1.5 * SECOND, 'just now'],
    [-12 * SECOND, '12 sec. ago'],
    [-119 * SECOND, '1 min. ago'],
    [-59.9 * MINUTE, '59 min. ago'],
    [-23 * HOUR, '23 hr. ago'],
    [-40 * DAY, '1 mo. ago'],
    [-800 * DAY, '2 yr. ago'],
    [5 * MINUTE, 'in 5 min.'],
    [3 * DAY, 'in 3 days'],
  ])('describes %i ms in words', (distance, text) => expect(relativeTime(NOW + distance, NOW)).toBe(text));
});

describe('momentOfLine', () => {
  const now = new Date(2026, 0, 31, 12);
  it.each([
    [new Date(2026, 0, 31, 9, 30), /^09:30:00\.000$/],
    [new Date(2026, 0, 30, 9, 30), /^(?!.*2026).*30.* 09:30:00\.000$/],
    [new Date(2025, 11, 31, 9, 30), /2025.* 09:30:00\.000$/],
  ])('names as much of the date of %s as is needed', (at, text) =>
    expect(momentOfLine(at, now)).toMatch(text),
  );
});
