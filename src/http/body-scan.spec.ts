import { scanBody } from './body-scan.js';

const scanned = (text: string) => scanBody(Buffer.from(text));

describe('The scan of a body', () => {
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
    expect(() => scanned(String.raw`["\"${'[{,'.repeat(300_000)}\\"]`)).not.toThrow();
  });

  it('accepts unbalanced closing brackets, which the parser then refuses', () => {
    expect(() => scanned(']]]}},,,[')).not.toThrow();
  });
});
