import { shownParts, shownText, visibleJson } from './hidden-characters.js';

describe('shownText', () => {
  it.each(['', 'Pay invoice 4711', 'Größe 7 €', '請求書', 'שלום 120', 'two\nlines', '<b>&amp;</b>'])(
    'leaves %j unchanged',
    (text) => expect(shownText(text)).toBe(text),
  );

  it.each([
    ['an override of direction', 'pay \u202e021\u202c', 'pay [U+202E]021[U+202C]'],
    ['a mark of direction', 'a\u200fb\u061c', 'a[U+200F]b[U+061C]'],
    ['an isolate', '\u2066x\u2069', '[U+2066]x[U+2069]'],
    ['an escape', '\u001b[31mred', '[U+001B][31mred'],
    ['a carriage return, a tab and a null', 'a\rb\tc\u0000', 'a[U+000D]b[U+0009]c[U+0000]'],
    ['a run of zero-width spaces', 'a\u200b\u200b\u200bb', 'a[U+200B ×3]b'],
    ['spaces that look like one', 'a\u00a0b\u3000', 'a[U+00A0]b[U+3000]'],
    ['a separator of lines', 'a\u2028b', 'a[U+2028]b'],
    ['a tag that only programs read', 'a\u{E0041}', 'a[U+E0041]'],
    ['half of a pair', 'a\ud800b', 'a[U+D800]b'],
    ['a filler', '\u3164', '[U+3164]'],
    ['marks piled on a letter', `e${'\u0301'.repeat(5)}`, 'e\u0301\u0301\u0301[U+0301 ×2]'],
  ])('names %s', (_, text, shown) => expect(shownText(text)).toBe(shown));

  it('loses nothing of a long text of such characters', () => {
    const parts = shownParts('\u200b\u200c'.repeat(4_000));
    expect(parts).toHaveLength(8_000);
    expect(parts.every(({ isMark }) => isMark)).toBe(true);
  });
});

describe('visibleJson', () => {
  it('escapes control characters of editors, and is the same JSON', () => {
    const value = { 'a\u202e': 'b\u200b\u200b', c: 'd\u{E0041}', e: 'שלום\n', f: ' \u00a0' };
    const json = visibleJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).toContain('"a\\u202e": "b\\u200b\\u200b"');
    expect(json).toContain('"d\\udb40\\udc41"');
    expect(json).toContain('"שלום\\n"');
  });
});
