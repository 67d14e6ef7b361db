import { isSmallJson } from './json-size.js';

/** Lists in one another. */
const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

describe('A JSON value', () => {
  it.each<[string, unknown, boolean]>([
    ['null', null, true],
    ['a long text', 'x'.repeat(10_000), true],
    ['an object of a few fields', { answer: 42, from: ['a', 'b', { c: null }] }, true],
    ['a list of 59 items', Array.from({ length: 59 }, () => 0), true],
    ['a list of 60 items', Array.from({ length: 60 }, () => 0), false],
    ['a list of many lists', Array.from({ length: 10 }, () => [1, 2, 3, 4, 5, 6]), false],
    ['a deep list', nested(80), false],
  ])('is small or not: %s', (_, value, isSmall) => {
    expect(isSmallJson(value)).toBe(isSmall);
  });
});
