import { createHash } from 'node:crypto';
import { SecretCipher } from './secret-cipher.js';

const SEALED = 'sealed';

interface NamedCipher {
  /** How everything begins that was encrypted with it. */
  readonly prefix: string;
  readonly cipher: SecretCipher;
}

/** A stored text was encrypted under a key that the service no longer has, or changed since. The message follows the text's name. */
export class UnreadableTextError extends Error {}

/**
 * Texts as the database stores them: encrypted under the key in use, or as they are where there is none. Each is bound to its
 * owner, so that one can't be put in another's place.
 */
export class StoredTextCipher {
  private readonly current: NamedCipher | undefined;
  private readonly ciphers: readonly NamedCipher[];

  /**
   * @param key in use; empty: texts are stored as they are
   * @param previousKey still decrypts; empty: there is none
   * @param purpose keeps apart the keys that one setting gives for several purposes
   */
  constructor(key: string, previousKey: string, purpose: string) {
    this.ciphers = [key, previousKey].filter((it) => it !== '').map((it) => namedCipher(it, purpose));
    this.current = key === '' ? undefined : this.ciphers[0];
  }

  /** How everything begins that is encrypted under the key in use; null where there is none. */
  get currentPrefix(): string | null {
    return this.current?.prefix ?? null;
  }

  encrypt(owner: string, text: string): string {
    if (!this.current) return text;
    return this.current.prefix + this.current.cipher.encrypt(text, owner).toString('base64url');
  }

  /** True if the text was encrypted, under any key. */
  isSealed(stored: string): boolean {
    return stored.startsWith(`${SEALED}:`);
  }

  /** @throws UnreadableTextError */
  decrypt(owner: string, stored: string): string {
    if (!this.isSealed(stored)) return stored;
    const named = this.ciphers.find(({ prefix }) => stored.startsWith(prefix));
    if (!named) throw new UnreadableTextError('was sealed under a key that is gone');
    try {
      return named.cipher.decrypt(Buffer.from(stored.slice(named.prefix.length), 'base64url'), owner);
    } catch (error) {
      throw new UnreadableTextError('was changed since it was sealed', { cause: error });
    }
  }

  /** Returns true if this text is what is stored; false also where that can't be read. */
  holds(owner: string, stored: string, text: string): boolean {
    try {
      return this.decrypt(owner, stored) === text;
    } catch (error) {
      if (error instanceof UnreadableTextError) return false;
      throw error;
    }
  }
}

function namedCipher(key: string, purpose: string): NamedCipher {
  const id = createHash('sha256').update(`key id of ${key}`).digest('base64url').slice(0, 8);
  return { prefix: `${SEALED}:${id}:`, cipher: new SecretCipher(key, purpose) };
}
