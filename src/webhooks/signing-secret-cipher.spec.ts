import { keyIdOf, sealPrefix, StoredTextCipher, UnreadableTextError } from '../secrets/stored-text-cipher.js';
import { generateSecret } from './signing-secret.js';

const KEY = 'a key for tests, of more than thirty-two bytes';
const OLD_KEY = 'the key before it, of more than thirty-two bytes';
const WEBHOOK = '0192f0c4-0b6e-7d3a-9b1f-6a0d5be1c7e2';
const secret = generateSecret();

const cipherOf = (current: string, previous = '') =>
  new StoredTextCipher([current, previous], 'webhook signing secrets');
const sealedUnder = (key: string) => cipherOf(key).encrypt(keyIdOf(key), WEBHOOK, secret);

describe('The cipher of signing secrets', () => {
  it('encrypts a secret and decrypts it', () => {
    const kept = sealedUnder(KEY);
    expect(kept).not.toContain(secret.slice(6, 20));
    expect(kept.startsWith(sealPrefix(keyIdOf(KEY)))).toBe(true);
    expect(cipherOf(KEY).decrypt(WEBHOOK, kept)).toBe(secret);
  });

  it('creates another ciphertext each time', () => {
    expect(sealedUnder(KEY)).not.toBe(sealedUnder(KEY));
  });

  it('returns secrets unchanged where no key is in use', () => {
    expect(cipherOf(KEY).encrypt(null, WEBHOOK, secret)).toBe(secret);
    expect(cipherOf(KEY).decrypt(WEBHOOK, secret)).toBe(secret);
  });

  it('decrypts with the previous key', () => {
    const kept = sealedUnder(OLD_KEY);
    expect(cipherOf(KEY, OLD_KEY).decrypt(WEBHOOK, kept)).toBe(secret);
    expect(cipherOf('', OLD_KEY).decrypt(WEBHOOK, kept)).toBe(secret);
  });

  it.each([
    ['under a key that is gone', () => cipherOf(KEY).decrypt(WEBHOOK, sealedUnder(OLD_KEY))],
    ['of another webhook', () => cipherOf(KEY).decrypt('another', sealedUnder(KEY))],
    ['that was changed', () => cipherOf(KEY).decrypt(WEBHOOK, sealedUnder(KEY).replace(/.{4}$/, 'AAAA'))],
    ['that was cut off', () => cipherOf(KEY).decrypt(WEBHOOK, sealPrefix(keyIdOf(KEY)))],
  ])('refuses a secret %s', (_, decrypt) => {
    expect(decrypt).toThrow(UnreadableTextError);
  });
});
