import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { SecretCipher } from '../secrets/secret-cipher.js';

const SEALED = 'sealed';

interface NamedCipher {
  /** How everything begins that was encrypted with it. */
  readonly prefix: string;
  readonly cipher: SecretCipher;
}

/** A kept secret was encrypted under a key that the service no longer has. */
export class UnreadableSecretError extends Error {}

/**
 * Signing secrets as the database keeps them: encrypted under `WEBHOOK_SECRET_KEY`, or as they are where none is set.
 * Bound to their webhook, so that one can't be put in another's place.
 */
@Injectable()
export class SigningSecretCipher {
  private readonly current: NamedCipher | undefined;
  private readonly ciphers: readonly NamedCipher[];

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
  ) {
    const { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS } = settings;
    const keys = [WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS].filter((key) => key !== '');
    this.ciphers = keys.map(namedCipher);
    this.current = WEBHOOK_SECRET_KEY === '' ? undefined : this.ciphers[0];
  }

  /** How everything begins that is encrypted under the key in use; null where there is none. */
  get currentPrefix(): string | null {
    return this.current?.prefix ?? null;
  }

  encrypt(webhookId: string, secret: string): string {
    if (!this.current) return secret;
    return this.current.prefix + this.current.cipher.encrypt(secret, webhookId).toString('base64url');
  }

  /** @throws UnreadableSecretError */
  decrypt(webhookId: string, kept: string): string {
    if (!kept.startsWith(`${SEALED}:`)) return kept;
    const named = this.ciphers.find(({ prefix }) => kept.startsWith(prefix));
    if (!named) throw new UnreadableSecretError('The signing secret was sealed under a key that is gone');
    try {
      return named.cipher.decrypt(Buffer.from(kept.slice(named.prefix.length), 'base64url'), webhookId);
    } catch (error) {
      throw new UnreadableSecretError('The signing secret was changed since it was sealed', { cause: error });
    }
  }
}

function namedCipher(setting: string): NamedCipher {
  const id = createHash('sha256').update(`key id of ${setting}`).digest('base64url').slice(0, 8);
  return { prefix: `${SEALED}:${id}:`, cipher: new SecretCipher(setting, 'webhook signing secrets') };
}
