import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { SealingKeysService } from '../../sealing/sealing-keys.service.js';
import { StoredTextCipher } from '../../secrets/stored-text-cipher.js';
import type { ProviderGrant } from './sso.types.js';

/** Encrypts and decrypts what sessions keep of the identity provider, each text bound to its session. */
@Injectable()
export class ProviderGrantCipher extends StoredTextCipher {
  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
    @Inject(SealingKeysService) private readonly keys: Pick<SealingKeysService, 'inUse'>,
  ) {
    super(
      [settings.WEBHOOK_SECRET_KEY, settings.WEBHOOK_SECRET_KEY_PREVIOUS],
      'grants of the identity provider',
    );
  }

  /** @returns null where no key is in use: another system's credential is never stored in clear */
  async seal(sessionId: string, grant: ProviderGrant): Promise<string | null> {
    const keyId = await this.keys.inUse();
    return keyId === null ? null : this.encrypt(keyId, sessionId, JSON.stringify(grant));
  }

  /** Encrypts a stored text again, under the key in use. */
  async sealAnew(sessionId: string, stored: string): Promise<string> {
    return this.encrypt(await this.keys.inUse(), sessionId, this.decrypt(sessionId, stored));
  }

  /** @throws UnreadableTextError */
  open(sessionId: string, stored: string): ProviderGrant {
    return JSON.parse(this.decrypt(sessionId, stored)) as ProviderGrant;
  }
}
