import { isWrittenWithin, writtenBytes } from './written-json.js';

describe('writtenBytes', () => {
  it.each<[string, unknown, string]>([
    ['nothing', null, 'null'],
    ['a truth value', [true, false], '[true, false]'],
    ['empty containers', [{}, [], ''], '[{}, [], ""]'],
    ['separators', { a: [1, 2], b: { c: 3 } }, '{"a": [1, 2], "b": {"c": 3}}'],
    ['separators within texts', { 'a:,': ':,"\\":,' }, String.raw`{"a:,": ":,\"\\\":,"}`],
    ['digits and exponents within texts', ['1e308', '\\', 1], String.raw`["1e308", "\\", 1]`],
    ['text beyond ASCII', ['ä€😀', '\u0001\n'], String.raw`["ä€😀", "\u0001\n"]`],
    ['whole numbers', [0, -0, -17, 2 ** 53], '[0, 0, -17, 9007199254740992]'],
    ['fractions', [0.5, -12.75], '[0.5, -12.75]'],
    ['a large number', 1e308, `1${'0'.repeat(308)}`],
    ['a large number with a fraction', -1.25e21, '-1250000000000000000000'],
    ['a small number', 5e-324, `0.${'0'.repeat(323)}5`],
    ['a small number with a fraction', -1.25e-7, '-0.000000125'],
  ])('counts %s as PostgreSQL writes it', (_, value, written) => {
    expect(writtenBytes(JSON.stringify(value))).toBe(Buffer.byteLength(written));
  });
});

describe('isWrittenWithin', () => {
  it('returns false only when the document is written in more bytes', () => {
    const numbers = JSON.stringify(Array.from({ length: 10 }, () => 1e308));
    const bytes = 2 + 10 * 309 + 9 * 2;
    expect([bytes - 1, bytes, bytes * 100].map((most) => isWrittenWithin(numbers, most))).toEqual([
      false,
      true,
      true,
    ]);
  });
});
