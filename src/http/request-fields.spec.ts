import { canonicalEmail } from './request-fields.js';

describe('canonicalEmail', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['ＡＤＡ＠example.com', 'ada@example.com'],
    ['É@example.com', 'é@example.com'],
    ['e\u0301@example.com', 'é@example.com'],
    ['ﬁ@example.com', 'fi@example.com'],
    ['ΣΑΣ@example.com', 'σας@example.com'],
  ])('converts %s to %s', (text, canonical) => {
    expect(canonicalEmail(text)).toBe(canonical);
  });

  it('does not convert İ or ı to i', () => {
    expect(new Set(['admin', 'admİn', 'admın'].map(canonicalEmail)).size).toBe(3);
  });

  it('composes no text that is too long for an address', () => {
    const text = `a${'\u0315'.repeat(250_000)}${'\u0300'.repeat(250_000)}@example.com`;
    expect(canonicalEmail(text)).toBe(text);
  });

  it('returns its own result unchanged', () => {
    const stays = (text: string) => canonicalEmail(canonicalEmail(text)) === canonicalEmail(text);
    const address = (code: number) => `x${String.fromCodePoint(code)}@example.com`;
    const characters = Array.from({ length: 0x110000 }, (_, code) => code).filter(
      (code) => code < 0xd800 || code > 0xdfff,
    );
    // Rows of 256, because a million characters take a second one by one.
    for (let first = 0; first < characters.length; first += 256) {
      const row = characters.slice(first, first + 256);
      if (!stays(row.map(address).join())) expect(row.filter((code) => !stays(address(code)))).toEqual([]);
    }
  });
});
