import { cutText, storable, storableJson } from './storable-text.js';

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

describe('storableJson', () => {
  it.each([
    ['"a\\u0000b"', '"a\\ufffdb"'],
    ['"\\u0000\\u0000"', '"\\ufffd\\ufffd"'],
    ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
    ['"\\uD83D"', '"\\ufffd"'],
    ['"\\ude00\\ud83d"', '"\\ufffd\\ufffd"'],
    ['"\\ud83d\\ud83d\\ude00"', '"\\ufffd\\ud83d\\ude00"'],
    ['"\\\\ud83d\\ude00"', '"\\\\ud83d\\ufffd"'],
    ['"\\ud83dx\\u0041"', '"\\ufffdx\\u0041"'],
    ['{"\\u0000":{"a":["\\udfff"]}}', '{"\\ufffd":{"a":["\\ufffd"]}}'],
  ])('replaces characters that PostgreSQL can not store: %s', (text, expected) => {
    expect(storableJson(text)).toBe(expected);
  });

  it.each([
    '"\\\\u0000"',
    '"\\\\\\\\ud800"',
    '"\\"\\\\u0000"',
    '"\\u00e4 \\u2028 \\n"',
    '"\\u00',
    '"\\u',
    '"\\',
    '"\\ud83d\\u',
    '"\\uzzzz"',
  ])('leaves all other text unchanged: %s', (text) => {
    const expected = text === '"\\ud83d\\u' ? '"\\ufffd\\u' : text;
    expect(storableJson(text)).toBe(expected);
  });

  it('takes time in proportion to the text', () => {
    const texts = ['\\\\', '\\ud83d\\ude00', '\\ud83d'].map((part) => `"${part.repeat(500_000)}\\u0000"`);
    expect(texts.map(storableJson).map((text) => text.slice(-7))).toEqual(Array(3).fill('\\ufffd"'));
  });
});
