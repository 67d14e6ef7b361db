import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { SealingKeysService } from '../../sealing/sealing-keys.service.js';
import { StoredTextCipher } from '../../secrets/stored-text-cipher.js';

/** Encrypts and decrypts the secrets of one-time codes, each bound to its factor. */
@Injectable()
export class TotpSecretCipher extends StoredTextCipher {
  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
    @Inject(SealingKeysService) private readonly keys: Pick<SealingKeysService, 'inUse'>,
  ) {
    super([settings.WEBHOOK_SECRET_KEY, settings.WEBHOOK_SECRET_KEY_PREVIOUS], 'secrets of one-time codes');
  }

  /** Encrypts a secret under the key in use. */
  async seal(factorId: string, secret: string): Promise<string> {
    return this.encrypt(await this.keys.inUse(), factorId, secret);
  }
}
