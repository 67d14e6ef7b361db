import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import { StoredTextCipher } from '../secrets/stored-text-cipher.js';

/** Encrypts and decrypts signing secrets, each bound to its webhook. */
@Injectable()
export class SigningSecretCipher extends StoredTextCipher {
  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
    @Inject(SealingKeysService) private readonly keys: Pick<SealingKeysService, 'inUse' | 'problem'>,
  ) {
    super([settings.WEBHOOK_SECRET_KEY, settings.WEBHOOK_SECRET_KEY_PREVIOUS], 'webhook signing secrets');
  }

  async knowsAllKeys(): Promise<boolean> {
    return (await this.keys.problem()) === null;
  }

  /** Encrypts a secret under the key in use. */
  async seal(webhookId: string, secret: string): Promise<string> {
    return this.encrypt(await this.keys.inUse(), webhookId, secret);
  }
}
