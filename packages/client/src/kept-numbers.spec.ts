import { indentedJson, parseKept, writeKept } from './kept-numbers.js';

describe('A JSON document that is indented', () => {
  it.each([
    '1234567890123456789',
    '-1e400',
    '1E+5',
    '1.0',
    '-0',
    '0.1000000000000000055511151231257827',
    '7',
  ])('keeps the number as it was written when it is %s', (number) => {
    expect(indentedJson(`{"a":[${number}],"b":${number}}`)).toBe(
      `{\n  "a": [\n    ${number}\n  ],\n  "b": ${number}\n}`,
    );
    expect(indentedJson(number)).toBe(number);
  });

  it('keeps digits within texts and keys as they are', () => {
    const document = {
      '1': 'a 1234567890123456789 "1e400"\\',
      b: '7',
      '\\"': ['\\', '1'],
      '😀': true,
      n: null,
    };
    expect(indentedJson(JSON.stringify(document))).toBe(JSON.stringify(document, null, 2));
    expect(writeKept(parseKept(JSON.stringify(document)))).toBe(JSON.stringify(document));
  });

  it.each(['', '{', '01', '1.', '{"a":.5}', '[1 2]'])('is refused when it is no JSON: %s', (text) => {
    expect(() => indentedJson(text)).toThrow(SyntaxError);
  });
});
