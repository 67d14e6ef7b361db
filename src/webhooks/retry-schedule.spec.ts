import { nextDelaySeconds, RETRY_DELAYS_SECONDS, retryAfterSeconds } from './retry-schedule.js';

const soonest = () => 0;
const latest = () => 1;

describe('The retry schedule', () => {
  it('has the delays 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, and then ends', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => nextDelaySeconds(failures, null, soonest));
    expect(delays).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, null]);
  });

  it('adds up to a fifth to a delay, and shortens none', () => {
    expect(nextDelaySeconds(1, null, latest)).toBe(6);
    expect(nextDelaySeconds(7, null, latest)).toBe(43_200);
    for (let failures = 1; failures <= RETRY_DELAYS_SECONDS.length; failures++) {
      const scheduled = RETRY_DELAYS_SECONDS[failures - 1]!;
      const delay = nextDelaySeconds(failures, null)!;
      expect(delay).toBeGreaterThanOrEqual(scheduled);
      expect(delay).toBeLessThanOrEqual(scheduled * 1.2);
    }
  });

  it.each([
    ['longer than the schedule', 1, 90, 90],
    ['shorter than the schedule', 2, 90, 300],
    ['longer than anybody should wait', 1, 1e9, 36_000],
    ['nothing', 1, 0, 5],
  ])('respects a Retry-After of %s', (_, failures, asked, expected) => {
    expect(nextDelaySeconds(failures, asked, soonest)).toBe(expected);
  });

  it('ends even when the receiver sends Retry-After', () => {
    expect(nextDelaySeconds(8, 60, soonest)).toBeNull();
  });
});

describe('The seconds of a Retry-After header', () => {
  const now = new Date('2026-01-31T09:30:00.000Z');

  it.each([
    ['120', 120],
    ['0', 0],
    ['Sat, 31 Jan 2026 09:31:30 GMT', 90],
    ['Saturday, 31-Jan-26 09:31:30 GMT', 90],
    ['Sat, 31 Jan 2026 09:00:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['99999999999999999999', null],
    ['2027', 2_027],
    ['2026-01-31T09:31:30Z', null],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('of %s are %s', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});
