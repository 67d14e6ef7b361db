import { createHash } from 'node:crypto';
import { canonicalJson, frozenJson } from './canonical-json.js';

describe('The canonical form of JSON', () => {
  it('is that of the example of RFC 8785, section 3.2.2', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('orders names by their UTF-16 code units, as section 3.2.3 does', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    expect(canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))).toBe(
      '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\ud83d\ude00":0,"\ufb33":0}',
    );
  });
});

describe('A frozen value', () => {
  it('has a hash that does not depend on the order of names, and does not follow its origin', () => {
    const origin = { b: [1, { c: 2 }], a: new Date(0), left: undefined };
    const { value, sha256 } = frozenJson(origin);
    origin.b.push(3);
    expect(value).toEqual({ a: '1970-01-01T00:00:00.000Z', b: [1, { c: 2 }] });
    expect(sha256).toBe(
      createHash('sha256').update('{"a":"1970-01-01T00:00:00.000Z","b":[1,{"c":2}]}').digest('hex'),
    );
    const { b } = value as { b: [number, { c: number }] };
    expect(() => b.push(4)).toThrow(TypeError);
    expect(() => (b[1].c = 5)).toThrow(TypeError);
    expect(frozenJson(undefined)).toEqual(frozenJson(null));
  });

  it.each<[unknown]>([
    [NaN],
    [Infinity],
    [{ a: 1n }],
    ['\ud83d'],
    [{ '\ude00': 1 }],
    [{ a: () => 1 }],
    [[Symbol('a')]],
    [{ to: new Map([['iban', 'DE02']]) }],
    [[new Set(['DE02'])]],
    [/DE02/],
    [new Uint8Array(2)],
    [Promise.resolve()],
  ])('can not be made of what JSON would change: %p', (value) => {
    expect(() => frozenJson(value)).toThrow(TypeError);
  });
});
