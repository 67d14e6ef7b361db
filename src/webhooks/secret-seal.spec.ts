import { SecretSeal, UnreadableSecretError } from './secret-seal.js';
import { generateSecret } from './signing-secret.js';

const KEY = 'a key for tests, of more than thirty-two bytes';
const OLD_KEY = 'the key before it, of more than thirty-two bytes';
const WEBHOOK = '0192f0c4-0b6e-7d3a-9b1f-6a0d5be1c7e2';
const secret = generateSecret();

const sealOf = (current: string, previous = '') =>
  new SecretSeal({ WEBHOOK_SECRET_KEY: current, WEBHOOK_SECRET_KEY_PREVIOUS: previous });

describe('The seal', () => {
  it('hides a secret and gives it back', () => {
    const kept = sealOf(KEY).seal(WEBHOOK, secret);
    expect(kept).not.toContain(secret.slice(6, 20));
    expect(kept.startsWith(sealOf(KEY).currentPrefix!)).toBe(true);
    expect(sealOf(KEY).open(WEBHOOK, kept)).toBe(secret);
  });

  it('is another one each time', () => {
    expect(sealOf(KEY).seal(WEBHOOK, secret)).not.toBe(sealOf(KEY).seal(WEBHOOK, secret));
  });

  it('keeps secrets as they are where there is no key', () => {
    expect(sealOf('').currentPrefix).toBeNull();
    expect(sealOf('').seal(WEBHOOK, secret)).toBe(secret);
    expect(sealOf(KEY).open(WEBHOOK, secret)).toBe(secret);
  });

  it('is opened with the key before the one in use', () => {
    const kept = sealOf(OLD_KEY).seal(WEBHOOK, secret);
    expect(sealOf(KEY, OLD_KEY).open(WEBHOOK, kept)).toBe(secret);
    expect(sealOf('', OLD_KEY).open(WEBHOOK, kept)).toBe(secret);
  });

  it.each([
    ['under a key that is gone', () => sealOf(KEY).open(WEBHOOK, sealOf(OLD_KEY).seal(WEBHOOK, secret))],
    ['of another webhook', () => sealOf(KEY).open('another', sealOf(KEY).seal(WEBHOOK, secret))],
    [
      'that was changed',
      () => sealOf(KEY).open(WEBHOOK, sealOf(KEY).seal(WEBHOOK, secret).replace(/.{4}$/, 'AAAA')),
    ],
    ['that was cut off', () => sealOf(KEY).open(WEBHOOK, sealOf(KEY).currentPrefix!)],
  ])('does not open one %s', (_, open) => {
    expect(open).toThrow(UnreadableSecretError);
  });
});
