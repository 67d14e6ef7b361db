import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = 'sealed';

interface SealingKey {
  /** How everything begins that was sealed under it. */
  readonly prefix: string;
  readonly key: Buffer;
}

/** A kept secret was sealed under a key that the service no longer has. */
export class UnreadableSecretError extends Error {}

/**
 * Signing secrets as the database keeps them: sealed (AES-256-GCM) under `WEBHOOK_SECRET_KEY`, or as they are where
 * none is set. Bound to their webhook, so that one can't be put in another's place.
 */
@Injectable()
export class SecretSeal {
  private readonly current: SealingKey | undefined;
  private readonly keys: readonly SealingKey[];

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
  ) {
    const { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS } = settings;
    this.keys = [WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS].filter((key) => key !== '').map(sealingKey);
    this.current = WEBHOOK_SECRET_KEY === '' ? undefined : this.keys[0];
  }

  /** How everything begins that is sealed under the key in use; null where there is none. */
  get currentPrefix(): string | null {
    return this.current?.prefix ?? null;
  }

  seal(webhookId: string, secret: string): string {
    if (!this.current) return secret;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.current.key, nonce).setAAD(Buffer.from(webhookId));
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return (
      this.current.prefix + Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
    );
  }

  /** @throws UnreadableSecretError */
  open(webhookId: string, kept: string): string {
    if (!kept.startsWith(`${SEALED}:`)) return kept;
    const sealing = this.keys.find(({ prefix }) => kept.startsWith(prefix));
    if (!sealing) throw new UnreadableSecretError('The signing secret was sealed under a key that is gone');
    try {
      return unseal(webhookId, Buffer.from(kept.slice(sealing.prefix.length), 'base64url'), sealing.key);
    } catch (error) {
      throw new UnreadableSecretError('The signing secret was changed since it was sealed', { cause: error });
    }
  }
}

function unseal(webhookId: string, sealed: Buffer, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(webhookId));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const ciphertext = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
}

function sealingKey(setting: string): SealingKey {
  const id = createHash('sha256').update(`key id of ${setting}`).digest('base64url').slice(0, 8);
  return {
    prefix: `${SEALED}:${id}:`,
    key: Buffer.from(hkdfSync('sha256', setting, '', 'webhook signing secrets', 32)),
  };
}
