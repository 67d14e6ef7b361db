import { findLostNumber, jsonAsWritten, keepText, lostNumberOf } from './lost-numbers.js';

describe('The search for numbers that JavaScript can not keep', () => {
  it.each([
    '1234567890123456789',
    '-9007199254740993',
    '1e400',
    '-1E400',
    '1e-400',
    '0.1000000000000000055511151231257827',
    '0.10000000000000001',
  ])('finds the number and the path to it: %s', (number) => {
    expect(findLostNumber(`{"a":[1,{"b c":[{"":2},${number}]}]}`)).toEqual({ path: 'a.1.b c.1', number });
  });

  it.each([
    '0',
    '-0',
    '0.0e5',
    '-0.000e-9',
    '0.00000000000000000000',
    '7',
    '1.50',
    '1e3',
    '1E+3',
    '1.5e-7',
    '9007199254740992',
    '123456789012345680000',
    '0.1234567890123456',
    '1.7976931348623157e308',
    '5e-324',
    '100000000000000000000000',
    '2.2250738585072014e-308',
    '1e-310',
    '1.50e-310',
    '"1234567890123456789"',
    '"1e400"',
  ])('leaves out what is kept: %s', (number) => {
    expect(findLostNumber(`{"a":[${number}]}`)).toBeUndefined();
  });

  it('finds the first of several, and none within a key', () => {
    const json = '{"a":{"1e400":0,"b":1e400,"c":1e401}}';
    expect(findLostNumber(json)).toEqual({ path: 'a.b', number: '1e400' });
  });

  it.each([
    [String.raw`{"\u0061\"]":[{}, [1, 2], {"b": 3, "c,": -1e400 }]}`, 'a"].2.c,'],
    ['{ "a" : [ "1e400,[{" , { "b" : "c" } ,\n1e400\n] }', 'a.2'],
    ['[[],[0,[1e400]]]', '1.1.0'],
    ['{"a":{"b":["c","d"],"":1e400}}', 'a.'],
  ])('names the place whatever surrounds it: %s', (json, path) => {
    expect(findLostNumber(json)?.path).toBe(path);
    expect(findLostNumber(json.replaceAll('1e400', '1e40'))).toBeUndefined();
  });

  it('leaves out a field of the body itself', () => {
    expect(findLostNumber('{"cpu_usage":0.10000000000000001,"a":[1e400]}')?.path).toBe('a.0');
    expect(findLostNumber('{"cpu_usage":0.10000000000000001}')).toBeUndefined();
  });

  it('reads a text of millions of escapes', () => {
    const text = String.raw`\"`.repeat(8_000_000);
    expect(findLostNumber(`{"a":["${text}",1e400]}`)?.path).toBe('a.1');
  });

  it('takes time in proportion to the digits of a number', () => {
    const number = `1${'0'.repeat(500_000)}1${'0'.repeat(500_000)}`;
    expect(findLostNumber(`{"a":[0.${'0'.repeat(100_000)}1]}`)?.path).toBe('a.0');
    expect(findLostNumber(`{"a":[${number}]}`)?.path).toBe('a.0');
  });
});

describe('A body', () => {
  it('is searched by its text when that was kept', () => {
    const [body, other] = [{ a: [1e21] }, { a: [1] }];
    keepText(body, '{"a":[1000000000000000000001]}');
    keepText(other, '{"a":[1]}');
    expect(lostNumberOf(body)).toEqual({ path: 'a.0', number: '1000000000000000000001' });
    expect(lostNumberOf(other)).toBeUndefined();
  });

  it.each(['[1.10,{"a":-0}]', '{"a":1E+3,"b":"1.10"}', '0.0000001', '1'])(
    'has a property whose numbers are as they were written: %s',
    (json) => {
      const text = `{"other":1.0,"it":${json}}`;
      const body = JSON.parse(text) as Record<string, unknown>;
      keepText(body, text);
      expect(jsonAsWritten(body, 'it')).toBe(json);
    },
  );
});
