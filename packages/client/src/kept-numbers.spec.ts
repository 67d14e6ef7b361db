import { indentedJson, parseKept, parseLargeNumbersAsText, writeKept } from './kept-numbers.js';

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

  it('keeps digits within texts and keys unchanged', () => {
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

  it.each(['', '{', '01', '1.', '{"a":.5}', '[1 2]'])('is refused when it is invalid JSON: %s', (text) => {
    expect(() => indentedJson(text)).toThrow(SyntaxError);
  });
});

describe('A JSON document whose large numbers become texts', () => {
  it.each(['1234567890123456789', '-9007199254740993', '1e400', '-1.5E+999'])('has as text %s', (number) => {
    expect(parseLargeNumbersAsText(`{"a":[${number}],"b":{"c":${number}}}`)).toEqual({
      a: [number],
      b: { c: number },
    });
  });

  it.each(['9007199254740991', '0.30000000000000004', '1e21', '-0', '1769851800.2500001'])(
    'has as number %s',
    (number) => {
      expect(parseLargeNumbersAsText(`[${number}, "1234567890123456789", "1e400"]`)).toEqual([
        Number(number),
        '1234567890123456789',
        '1e400',
      ]);
    },
  );

  it('keeps its keys, and is refused when it is invalid JSON', () => {
    expect(parseLargeNumbersAsText('{"1234567890123456789":1,"\\"1e400":2}')).toEqual({
      '1234567890123456789': 1,
      '"1e400': 2,
    });
    expect(() => parseLargeNumbersAsText('[1e400 2]')).toThrow(SyntaxError);
  });
});
