import { ADVISORY_LOCKS } from './advisory-locks.js';

describe('The advisory locks', () => {
  it('have different numbers, so that none waits for another', () => {
    const numbers = Object.values(ADVISORY_LOCKS);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
