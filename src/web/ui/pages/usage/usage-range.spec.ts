import { RANGES } from './usage-range.js';

describe('The ranges of usage', () => {
  const now = new Date('2026-03-31T10:20:00.000Z');

  it.each([
    ['24h', '2026-03-30T11:20:00.000Z'],
    ['7d', '2026-03-25T00:00:00.000Z'],
    ['30d', '2026-03-02T00:00:00.000Z'],
    ['month', '2026-03-01T00:00:00.000Z'],
    ['1y', '2025-04-01T00:00:00.000Z'],
  ])('begin with whole days: %s', (name, since) => {
    expect(
      RANGES.find(({ value }) => value === name)!
        .since(now)
        .toISOString(),
    ).toBe(since);
  });
});
