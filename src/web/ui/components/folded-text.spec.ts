import { foldAt, partsOf, withShortTexts } from './folded-text.js';

describe('foldAt', () => {
  it.each(['', 'one line', `${'x\n'.repeat(19)}x`, 'x'.repeat(1_500)])(
    'shows a short text whole (%#)',
    (text) => expect(foldAt(text)).toBe(text.length),
  );

  it('folds after sixteen lines', () => {
    expect(foldAt('abc\n'.repeat(30))).toBe(16 * 4 - 1);
  });

  it('folds after 1,200 characters, and not within one', () => {
    expect(foldAt('x'.repeat(32_000))).toBe(1_200);
    expect(foldAt(`${'x'.repeat(1_199)}${'😀'.repeat(900)}`)).toBe(1_201);
  });
});

describe('withShortTexts', () => {
  it('shortens each long text by itself, so that it hides no later text', () => {
    const json = JSON.stringify({ a: 'x'.repeat(4_000), b: 'short', c: '\0' }, null, 2);
    const short = withShortTexts(json);
    expect(partsOf(short)).toEqual([
      `{\n  "a": "${'x'.repeat(299)}`,
      3_701,
      '",\n  "b": "short",\n  "c": "\\u0000"\n}',
    ]);
    expect(foldAt(short)).toBe(short.length);
  });
});
