import { createHash } from 'node:crypto';
import { SecretCipher } from './secret-cipher.js';

const SEALED = 'sealed';

/** Name of a key; derived from it, so that every instance gives it the same. */
export function keyIdOf(key: string): string {
  return createHash('sha256').update(`key id of ${key}`).digest('base64url').slice(0, 8);
}

/** The beginning of every text that was encrypted under a key. */
export function sealPrefix(keyId: string): string {
  return `${SEALED}:${keyId}:`;
}

/**
 * A stored text was encrypted under a key that the service no longer has, or was changed. The message is appended to
 * the text's name.
 */
export class UnreadableTextError extends Error {}

/**
 * Texts as the database stores them: encrypted under one of the keys that are known, or as they are. Each is bound to its
 * owner, so that one can't be put in another's place.
 */
export class StoredTextCipher {
  private readonly ciphers: ReadonlyMap<string, SecretCipher>;

  /**
   * @param keys all that decrypt; an empty one is left out
   * @param purpose keeps apart the keys that one setting gives for several purposes
   */
  constructor(keys: readonly string[], purpose: string) {
    const given = keys.filter((key) => key !== '');
    this.ciphers = new Map(given.map((key) => [keyIdOf(key), new SecretCipher(key, purpose)]));
  }

  /** @param keyId one of the keys; null: the text is stored as it is */
  encrypt(keyId: string | null, owner: string, text: string): string {
    if (keyId === null) return text;
    const cipher = this.ciphers.get(keyId);
    if (!cipher) throw new Error(`The key ${keyId} is unknown`);
    return sealPrefix(keyId) + cipher.encrypt(text, owner).toString('base64url');
  }

  /** Returns true if the text is encrypted, under any key. */
  isSealed(stored: string): boolean {
    return stored.startsWith(`${SEALED}:`);
  }

  /** @throws UnreadableTextError */
  decrypt(owner: string, stored: string): string {
    if (!this.isSealed(stored)) return stored;
    const [, keyId = '', encrypted = ''] = stored.split(':', 3);
    const cipher = this.ciphers.get(keyId);
    if (!cipher) throw new UnreadableTextError('was sealed under a key that is gone');
    try {
      return cipher.decrypt(Buffer.from(encrypted, 'base64url'), owner);
    } catch (error) {
      throw new UnreadableTextError('was changed since it was sealed', { cause: error });
    }
  }

  /** Returns true if this text equals the stored one; false also where that can't be read. */
  holds(owner: string, stored: string, text: string): boolean {
    try {
      return this.decrypt(owner, stored) === text;
    } catch (error) {
      if (error instanceof UnreadableTextError) return false;
      throw error;
    }
  }
}
