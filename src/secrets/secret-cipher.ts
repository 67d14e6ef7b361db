import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key that is derived from a secret (HKDF with SHA-256). Ciphertexts contain nonce, tag and text.
 */
export class SecretCipher {
  /**
   * A KeyObject, created once: from bytes Node would create one at each call, which takes four times as long as the
   * call.
   */
  private readonly key: KeyObject;

  /**
   * @param purpose distinguishes the keys that are derived from one secret
   * @param salt another input of the key's derivation
   */
  constructor(secret: string, purpose: string, salt = '') {
    this.key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, salt, purpose, KEY_BYTES)));
  }

  /** @param owner of the text: it can be decrypted only for the same owner */
  encrypt(text: string, owner = ''): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, nonce).setAAD(Buffer.from(owner));
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** @throws if it was encrypted under another key or for another owner, or changed since */
  decrypt(encrypted: Buffer, owner = ''): string {
    const decipher = createDecipheriv(ALGORITHM, this.key, encrypted.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const ciphertext = encrypted.subarray(NONCE_BYTES + TAG_BYTES);
    return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
  }
}
