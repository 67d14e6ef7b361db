import { newTotpSecret, otpauthUri, stepOfCode } from './totp.js';

/** RFC 6238, appendix B: the secret `12345678901234567890`, of whose eight digits an app shows the last six. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const AT_MS = 1_111_111_109_000;
const STEP = 37_037_036;

describe('A one-time code', () => {
  it('is that of RFC 6238', () => {
    expect(stepOfCode(SECRET, '081804', AT_MS)).toBe(STEP);
    expect(stepOfCode(SECRET, '287082', 59_000)).toBe(1);
  });

  it('is good one step before and after its own, and no further', () => {
    const steps = [-2, -1, 0, 1, 2].map((away) => stepOfCode(SECRET, '081804', AT_MS + away * 30_000));
    expect(steps).toEqual([null, STEP, STEP, STEP, null]);
  });

  it('is wrong with other digits, too few of them, or other characters', () => {
    for (const code of ['081805', '81804', '', '0818040', 'abcdef', '!¡!!!!', '０８１８０４', '08180😀'])
      expect([code, stepOfCode(SECRET, code, AT_MS)]).toEqual([code, null]);
  });
});

it('A new secret has 160 bits, and its address names the account and the service', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(secret);
  const uri = new URL(otpauthUri(secret, 'ada@example.com'));
  expect(uri.href).toContain('otpauth://totp/agent-control-plane:ada%40example.com?');
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, digits: '6', period: '30' });
});
