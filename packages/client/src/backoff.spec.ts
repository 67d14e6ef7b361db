import { backoffMs } from './backoff.js';

const most = () => 1;
const least = () => 0;

describe('backoffMs', () => {
  it('has a ceiling that doubles with each failure, up to the longest pause', () => {
    const pauses = [1, 2, 3, 4, 5_000].map((failures) => backoffMs(failures, 1_000, 6_000, 0, most));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 6_000, 6_000]);
  });

  it('returns a random part of the ceiling, and never less than the minimum', () => {
    expect(backoffMs(3, 1_000, 60_000, 0, () => 0.25)).toBe(1_000);
    expect(backoffMs(3, 1_000, 60_000, 0, least)).toBe(100);
    expect(backoffMs(3, 0, 0, 0, most)).toBe(100);
  });

  it('returns at least the Retry-After of the service, with the jitter added', () => {
    expect(backoffMs(1, 1_000, 60_000, 7_000, () => 0.5)).toBe(7_500);
    expect(backoffMs(1, 1_000, 60_000, 7_000, least)).toBe(7_000);
  });
});
