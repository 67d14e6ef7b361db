import { randomBytes } from 'node:crypto';
import { generateSecret, isSigningSecret } from './signing-secret.js';

const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;

describe('A signing secret', () => {
  it('is generated from 32 random bytes', () => {
    const secret = generateSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(isSigningSecret(secret)).toBe(true);
    expect(generateSecret()).not.toBe(secret);
  });

  it.each([24, 25, 26, 32, 63, 64])('may have %i bytes', (bytes) => {
    expect(isSigningSecret(secretOf(bytes))).toBe(true);
  });

  it.each([
    ['too short', secretOf(23)],
    ['too long', secretOf(65)],
    ['without its prefix', randomBytes(32).toString('base64')],
    ['with another prefix', secretOf(32).replace('whsec_', 'WHSEC_')],
    ['without its padding', secretOf(32).replace('=', '')],
    ['base64url', `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`],
    ['with bits that say nothing', `whsec_${'A'.repeat(42)}B=`],
    ['with a line end', `${secretOf(24)}\n`],
    ['with a space in it', secretOf(24).replace(/.$/, ' ')],
    ['empty', 'whsec_'],
    ['nothing', ''],
  ])('is refused: %s', (_, text) => {
    expect(isSigningSecret(text)).toBe(false);
  });
});
