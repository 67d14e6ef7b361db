import { storable } from './storable-text.js';

describe('Storable text', () => {
  it.each([
    ['plain', 'plain'],
    ['a\0b', 'a\uFFFDb'],
    ['half \uD83D of a pair', 'half \uFFFD of a pair'],
    ['\uD83D\uDE00', '\uD83D\uDE00'],
  ])('of %j is %j', (text, expected) => {
    expect(storable(text)).toBe(expected);
  });
});
