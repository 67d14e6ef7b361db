import { canonicalEmail } from './canonical-email.js';

describe('canonicalEmail', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['ＡＤＡ＠example.com', 'ada@example.com'],
    ['É@example.com', 'é@example.com'],
    ['e\u0301@example.com', 'é@example.com'],
    ['ﬁ@example.com', 'fi@example.com'],
    ['ΣΑΣ@example.com', 'σας@example.com'],
  ])('makes %s into %s', (text, canonical) => {
    expect(canonicalEmail(text)).toBe(canonical);
  });

  it('never takes İ or ı for i', () => {
    expect(new Set(['admin', 'admİn', 'admın'].map(canonicalEmail)).size).toBe(3);
  });

  it('changes nothing when it is applied to its own result', () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const once = canonicalEmail(`x${String.fromCodePoint(code)}@example.com`);
      if (canonicalEmail(once) !== once) throw new Error(`U+${code.toString(16)}`);
    }
  });
});
