import { UnreadableTextError } from '../secrets/stored-text-cipher.js';
import { SigningSecretCipher } from './signing-secret-cipher.js';
import { generateSecret } from './signing-secret.js';

const KEY = 'a key for tests, of more than thirty-two bytes';
const OLD_KEY = 'the key before it, of more than thirty-two bytes';
const WEBHOOK = '0192f0c4-0b6e-7d3a-9b1f-6a0d5be1c7e2';
const secret = generateSecret();

const cipherOf = (current: string, previous = '') =>
  new SigningSecretCipher({ WEBHOOK_SECRET_KEY: current, WEBHOOK_SECRET_KEY_PREVIOUS: previous });

describe('The cipher of signing secrets', () => {
  it('encrypts a secret and decrypts it', () => {
    const kept = cipherOf(KEY).encrypt(WEBHOOK, secret);
    expect(kept).not.toContain(secret.slice(6, 20));
    expect(kept.startsWith(cipherOf(KEY).currentPrefix!)).toBe(true);
    expect(cipherOf(KEY).decrypt(WEBHOOK, kept)).toBe(secret);
  });

  it('creates another ciphertext each time', () => {
    expect(cipherOf(KEY).encrypt(WEBHOOK, secret)).not.toBe(cipherOf(KEY).encrypt(WEBHOOK, secret));
  });

  it('returns secrets unchanged without a key', () => {
    expect(cipherOf('').currentPrefix).toBeNull();
    expect(cipherOf('').encrypt(WEBHOOK, secret)).toBe(secret);
    expect(cipherOf(KEY).decrypt(WEBHOOK, secret)).toBe(secret);
  });

  it('decrypts with the previous key', () => {
    const kept = cipherOf(OLD_KEY).encrypt(WEBHOOK, secret);
    expect(cipherOf(KEY, OLD_KEY).decrypt(WEBHOOK, kept)).toBe(secret);
    expect(cipherOf('', OLD_KEY).decrypt(WEBHOOK, kept)).toBe(secret);
  });

  it.each([
    [
      'under a key that is gone',
      () => cipherOf(KEY).decrypt(WEBHOOK, cipherOf(OLD_KEY).encrypt(WEBHOOK, secret)),
    ],
    ['of another webhook', () => cipherOf(KEY).decrypt('another', cipherOf(KEY).encrypt(WEBHOOK, secret))],
    [
      'that was changed',
      () => cipherOf(KEY).decrypt(WEBHOOK, cipherOf(KEY).encrypt(WEBHOOK, secret).replace(/.{4}$/, 'AAAA')),
    ],
    ['that was cut off', () => cipherOf(KEY).decrypt(WEBHOOK, cipherOf(KEY).currentPrefix!)],
  ])('refuses a secret %s', (_, decrypt) => {
    expect(decrypt).toThrow(UnreadableTextError);
  });
});
