import { Backoff } from './backoff.js';

const pauses = (backoff: Backoff, count: number) => Array.from({ length: count }, () => backoff.next());

describe('Backoff', () => {
  it('doubles up to the longest pause, and begins again after a reset', () => {
    const backoff = new Backoff(1_000, 6_000, () => 1);
    expect(pauses(backoff, 5)).toEqual([1_000, 2_000, 4_000, 6_000, 6_000]);
    backoff.reset();
    expect(backoff.next()).toBe(1_000);
  });

  it('returns a random part of the ceiling, and never less than the minimum', () => {
    expect(pauses(new Backoff(1_000, 60_000, () => 0.25), 3)).toEqual([250, 500, 1_000]);
    expect(pauses(new Backoff(1_000, 60_000, () => 0), 3)).toEqual([100, 100, 100]);
  });

  it('still counts after months of failures', () => {
    const backoff = new Backoff(1_000, 60_000, () => 1);
    expect(pauses(backoff, 5_000).at(-1)).toBe(60_000);
  });
});
