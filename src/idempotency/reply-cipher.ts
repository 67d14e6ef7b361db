import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { ConflictError } from '../errors/domain-error.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import { SecretCipher } from '../secrets/secret-cipher.js';
import { keyIdOf, sealPrefix } from '../secrets/stored-text-cipher.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';

const PURPOSE = 'idempotency reply';

/**
 * Encrypts kept replies, which may hold an API key or tokens. The key of a reply is derived from the service's key in use and the caller's `Idempotency-Key`, of which the table has a
 * hash: a copy of the database opens none by guessing what callers chose, and the service's key alone opens none. Without a key of
 * the service it is derived from the caller's alone.
 */
@Injectable()
export class ReplyCipher {
  private readonly secrets: ReadonlyMap<string, string>;

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
    private readonly keys: SealingKeysService,
  ) {
    const known = [settings.WEBHOOK_SECRET_KEY, settings.WEBHOOK_SECRET_KEY_PREVIOUS];
    this.secrets = new Map(known.filter((key) => key !== '').map((key) => [keyIdOf(key), key]));
  }

  /** @throws UnavailableError where this instance lacks the key in use */
  async seal(
    replies: readonly { readonly request: KeyedRequest; readonly reply: unknown }[],
  ): Promise<Buffer[]> {
    const keyId = await this.keys.inUse();
    const prefix = Buffer.from(keyId === null ? '' : sealPrefix(keyId));
    return replies.map(({ request, reply }) =>
      Buffer.concat([prefix, this.cipherOf(request, keyId).encrypt(JSON.stringify(reply))]),
    );
  }

  /** @returns an error for a reply that was sealed under a key which the service no longer has */
  open<Reply>(request: KeyedRequest, sealed: Buffer): Reply | ConflictError {
    const [keyId = null, prefix = ''] =
      [...this.secrets.keys()]
        .map((id) => [id, sealPrefix(id)] as const)
        .find(([, start]) => sealed.subarray(0, start.length).equals(Buffer.from(start))) ?? [];
    try {
      return JSON.parse(this.cipherOf(request, keyId).decrypt(sealed.subarray(prefix.length))) as Reply;
    } catch {
      return unreadable();
    }
  }

  private cipherOf({ caller, key }: KeyedRequest, keyId: string | null): SecretCipher {
    if (keyId === null) return new SecretCipher(key, PURPOSE, caller);
    const secret = this.secrets.get(keyId);
    if (secret === undefined) throw new Error(`The key ${keyId} is unknown`);
    return new SecretCipher(secret, PURPOSE, `${caller}\n${key}`);
  }
}

function unreadable(): ConflictError {
  return new ConflictError(
    'idempotency_reply_unreadable',
    "The first request with this Idempotency-Key was carried out, but its reply can't be decrypted, because the " +
      "service's key has changed: look for what it created",
  );
}
