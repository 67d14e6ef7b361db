import { scanBody } from './body-scan.js';

function scanned(text: string): string {
  const bytes = Buffer.from(text);
  scanBody(bytes);
  return bytes.toString();
}

describe('The scan of a body', () => {
  it.each([
    ['"a\\u0000b"', '"a\\ufffdb"'],
    ['"\\u0000\\u0000"', '"\\ufffd\\ufffd"'],
    ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
    ['"\\uD83D"', '"\\ufffd"'],
    ['"\\ude00\\ud83d"', '"\\ufffd\\ufffd"'],
    ['"\\ud83d\\ud83d\\ude00"', '"\\ufffd\\ud83d\\ude00"'],
    ['"\\ud83dx\\u0041"', '"\\ufffdx\\u0041"'],
    ['{"\\u0000":{"a":["\\udfff"]}}', '{"\\ufffd":{"a":["\\ufffd"]}}'],
  ])('replaces characters that PostgreSQL can not store: %s', (text, expected) => {
    expect(scanned(text)).toBe(expected);
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
    expect(scanned(text)).toBe(expected);
  });

  it.each([
    [`[${'1,'.repeat(149_999)}1]`, `[${'1,'.repeat(150_000)}1]`, /array of more than 150000 elements/],
    [
      `{${'"a":1,'.repeat(49_999)}"a":1}`,
      `{${'"a":1,'.repeat(50_000)}"a":1}`,
      /object of more than 50000 keys/,
    ],
    [`[${'[1],'.repeat(99_999)}1]`, `[${'[1],'.repeat(100_000)}1]`, /more than 200000 values/],
    ['['.repeat(200), '['.repeat(201), /nested too deeply: at most 200 levels/],
  ])('refuses a body that is one past the limit (%#)', (most, tooMuch, message) => {
    expect(() => scanned(most)).not.toThrow();
    expect(() => scanned(tooMuch)).toThrow(message);
  });

  it('ignores brackets and commas in strings, and counts each object separately', () => {
    expect(() => scanned(`["${'[{,'.repeat(300_000)}"]`)).not.toThrow();
    expect(() =>
      scanned(`[{${'"a":1,'.repeat(40_000)}"a":1},{${'"a":1,'.repeat(40_000)}"a":1}]`),
    ).not.toThrow();
  });

  it('accepts unbalanced closing brackets, which the parser then refuses', () => {
    expect(() => scanned(']]]}},,,[')).not.toThrow();
  });
});
