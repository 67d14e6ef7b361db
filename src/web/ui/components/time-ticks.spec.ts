import { timeTicks } from './time-ticks.js';

const MINUTE = 60_000;

describe('timeTicks', () => {
  it.each([15, 60, 360, 1_440, 10_080, 43_200])('labels %i minutes at a few round times', (minutes) => {
    const until = Date.UTC(2026, 0, 31, 9, 37, 12, 345);
    const span = { from: until - minutes * MINUTE, until };
    const ticks = timeTicks(span);
    const step = ticks[1]! - ticks[0]!;
    expect(ticks.length).toBeGreaterThanOrEqual(3);
    expect(ticks.length).toBeLessThanOrEqual(8);
    for (const at of ticks) {
      expect(at).toBeGreaterThanOrEqual(span.from);
      expect(at).toBeLessThanOrEqual(until);
      const local = new Date(at);
      expect(((local.getHours() * 60 + local.getMinutes()) * MINUTE) % step).toBe(0);
      expect(local.getSeconds()).toBe(0);
    }
  });
});
