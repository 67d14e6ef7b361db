import { durationText } from './duration.js';

describe('A duration', () => {
  it.each([
    [-5, '0 s'],
    [0, '0 s'],
    [440, '0.4 s'],
    [2_000, '2 s'],
    [9_949, '9.9 s'],
    [9_999, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [93_600_000, '1 d 2 h'],
  ])('of %d milliseconds is %s', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });
});
