import { printable, printableJson, printableLine } from './printable.js';

const TREACHEROUS = '\u001b[2J \u0007 \u009b31m \r \u007f \u202e \u2066 \u0000';

describe('Text from elsewhere', () => {
  it('is printed without control characters', () => {
    expect(printable(TREACHEROUS)).toBe(
      '\\u001b[2J \\u0007 \\u009b31m \\u000d \\u007f \\u202e \\u2066 \\u0000',
    );
  });

  it('keeps its lines, and the letters of all languages', () => {
    const text = 'a\tb\nZürich 東京 👩‍💻 عربى';
    expect(printable(text)).toBe(text);
    expect(printableLine('a\tb\nc')).toBe('a b\\nc');
  });

  it('stays the same value as JSON', () => {
    const value = { [TREACHEROUS]: [TREACHEROUS, 'a\nb'] };
    const text = printableJson(value, 2);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e\u2066]/u);
  });
});
