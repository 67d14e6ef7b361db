import { StoredTexts } from './stored-text.js';

const LIMITS = { textLength: 10, totalBytes: 60 };
const textsOf = (remaining = 1_000) => new StoredTexts(LIMITS, remaining);
const MARK = '…[truncated]';

describe('Attributes as they are stored', () => {
  it.each<[string, Record<string, unknown>, object | null]>([
    ['none', {}, null],
    ['values of any type', { a: 1, b: true, c: [1, 'x'], d: null }, { a: 1, b: true, c: [1, 'x'], d: null }],
    ['a long text, cut', { a: 'x'.repeat(11) }, { a: `${'x'.repeat(10)}${MARK}` }],
    ['no half of a character', { a: `${'x'.repeat(9)}😀` }, { a: `${'x'.repeat(9)}${MARK}` }],
    [
      'what fits, and how many do not',
      { a: ['x'.repeat(50)], b: 1, c: ['y'.repeat(50)], d: 2 },
      { b: 1, d: 2, 'agent_control_plane.dropped_attributes': 2 },
    ],
    ['no number with too many digits', { a: 1e308 }, { 'agent_control_plane.dropped_attributes': 1 }],
    ['no long name', { ['n'.repeat(61)]: 1 }, { 'agent_control_plane.dropped_attributes': 1 }],
  ])('have %s', (_, attributes, expected) => {
    const text = textsOf().object(attributes);
    expect(text === null ? null : JSON.parse(text)).toEqual(expected);
  });

  it('have nothing more once the export has used up its room', () => {
    const texts = textsOf(100);
    expect(texts.object({ a: ['x'.repeat(45)] })).toContain('xxx');
    expect(texts.object({ b: ['x'.repeat(45)] })).toBe('{"agent_control_plane.dropped_attributes":1}');
    expect(texts.object({ c: 1 })).toBe('{"c":1}');
  });
});

describe('Events as they are stored', () => {
  const event = (name: string, attributes = {}) => ({ name, timestamp: 't', attributes });

  it('have their texts cut', () => {
    const texts = new StoredTexts({ ...LIMITS, totalBytes: 200 }, 1_000);
    expect(texts.list([event('a', { b: 'x'.repeat(11) })])).toContain(`"b":"${'x'.repeat(10)}${MARK}"`);
  });

  it('are left out where they do not fit', () => {
    expect(textsOf().list([event('a'), event('b'.repeat(80))])).toBe(
      '[{"name":"a","timestamp":"t","attributes":{}}]',
    );
  });

  it('are null where there are none', () => {
    expect(textsOf().list([])).toBeNull();
  });
});
