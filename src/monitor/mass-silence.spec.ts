import { isMassSilence } from './mass-silence.js';

describe('Mass silence', () => {
  it.each([
    [9, 9, false],
    [10, 5, false],
    [10, 6, true],
    [1_000, 500, false],
    [1_000, 501, true],
    [0, 0, false],
  ])('of %i agents %i silent: %s', (fleet, silent, expected) => {
    expect(isMassSilence(fleet, silent)).toBe(expected);
  });
});
