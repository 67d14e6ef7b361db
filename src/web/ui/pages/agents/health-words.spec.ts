import { healthWords } from './health-words.js';

const HOUR_MS = 3_600_000;

describe('The words for the health of the last hours', () => {
  const now = Date.parse('2026-11-27T13:20:00Z');
  const at = (hoursAgo: number) =>
    new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
      Date.parse('2026-11-27T13:00:00Z') - hoursAgo * HOUR_MS,
    );

  it('name each change with its hour, and the first state without one', () => {
    expect(healthWords(['healthy', 'healthy'], now)).toBe('Last 2 hours: healthy');
    expect(healthWords(['healthy', 'offline', 'offline', 'healthy'], now)).toBe(
      `Last 4 hours: healthy, offline from ${at(2)}, healthy from ${at(0)}`,
    );
    expect(healthWords(['progressing'], now)).toBe('This hour: progressing');
    expect(healthWords([], now)).toBe('Not known');
  });

  it('name the newest six changes of many', () => {
    const hours = Array.from({ length: 24 }, (_, hour) => (hour % 2 === 0 ? 'healthy' : 'failing'));
    const words = healthWords(hours, now);
    expect(words.startsWith(`Last 24 hours: … healthy from ${at(5)}, failing from ${at(4)}`)).toBe(true);
    expect(words.split(',')).toHaveLength(6);
  });
});
