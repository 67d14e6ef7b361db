import { canonicalJson, sha256OfJson } from './canonical-json.js';

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
    const value = Object.fromEntries(names.map((name) => [name, 0]));
    expect(Object.keys(JSON.parse(canonicalJson(value)))).toHaveLength(names.length);
    expect(canonicalJson(value)).toBe(
      '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\ud83d\ude00":0,"\ufb33":0}',
    );
  });

  it('is the same for many names in any order', () => {
    const names = Array.from({ length: 500 }, (_, index) => `name ${index}`);
    const made = (of: string[]) => canonicalJson(Object.fromEntries(of.map((name) => [name, name])));
    expect(made([...names].reverse())).toBe(made(names));
  });

  it.each([
    ['null', null, '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b'],
    ['an empty object', {}, '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
  ])('has a hash that other programs compute, too: %s', (_, value, hash) =>
    expect(sha256OfJson(value)).toBe(hash),
  );
});
