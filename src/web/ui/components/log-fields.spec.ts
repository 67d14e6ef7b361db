import { fieldsOf, fieldsText } from './log-fields.js';

describe('fieldsOf', () => {
  it.each([
    [null, []],
    [{}, []],
    [{ order: 17, is_new: true, file: null }, ['order=17', 'is_new=true', 'file=null']],
    [
      { stream: 'stdout', url: 'https://example.com/?a=b' },
      ['stream=stdout', 'url=https://example.com/?a=b'],
    ],
    [{ file: 'a b.pdf', empty: '', said: '"no"' }, ['file="a b.pdf"', 'empty=""', 'said="\\"no\\""']],
    [{ at: { line: 3, file: 'x.ts' }, tags: ['a', 1] }, ['at={line=3, file=x.ts}', 'tags=["a", 1]']],
  ])('shows %j as %j', (metadata, expected) => {
    expect(fieldsOf(metadata)).toEqual(expected);
  });
});

describe('fieldsText', () => {
  it('joins all fields', () => {
    expect(fieldsText({ order: 17, stream: 'stdout' })).toBe('order=17 stream=stdout');
    expect(fieldsText(null)).toBe('');
  });
});
