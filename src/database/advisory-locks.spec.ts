import { ADVISORY_LOCKS } from './advisory-locks.js';

describe('The advisory locks', () => {
  it('share no number: one would wait for the other', () => {
    const numbers = Object.values(ADVISORY_LOCKS);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
