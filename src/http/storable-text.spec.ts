import { storable } from './storable-text.js';

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
