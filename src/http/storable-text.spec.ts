import { cutText, storable } from './storable-text.js';

describe('storable', () => {
  it.each([
    ['plain', 'plain'],
    ['a\0b', 'a\uFFFDb'],
    ['half \uD83D of a pair', 'half \uFFFD of a pair'],
    ['\uD83D\uDE00', '\uD83D\uDE00'],
  ])('converts %j to %j', (text, expected) => {
    expect(storable(text)).toBe(expected);
  });
});

describe('A text that is cut', () => {
  it.each([
    ['abc', 2, 'ab'],
    ['abc', 3, 'abc'],
    ['a😀b', 1, 'a'],
    ['a😀b', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['😀😀', 3, '😀'],
    ['', 5, ''],
  ])('has no half of a character at its end: %j after %i', (text, maximum, expected) => {
    expect(cutText(text, maximum)).toBe(expected);
  });
});
