import { POOL_NAMES, poolSizes } from './pool-sizes.js';

describe('poolSizes', () => {
  it('gives each pool one connection when there are four, the minimum', () => {
    expect(poolSizes(4)).toEqual({ runtimes: 1, people: 1, searches: 1, background: 1 });
  });

  it('gives runtimes the largest share of the default', () => {
    expect(poolSizes(20)).toEqual({ runtimes: 8, people: 6, searches: 3, background: 3 });
  });

  it.each([4, 5, 7, 10, 20, 33, 100, 1_000])('distributes exactly the %i available connections', (total) => {
    const sizes = poolSizes(total);
    expect(POOL_NAMES.reduce((sum, name) => sum + sizes[name], 0)).toBe(total);
    expect(Math.min(...POOL_NAMES.map((name) => sizes[name]))).toBeGreaterThanOrEqual(1);
  });
});
