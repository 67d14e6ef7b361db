import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { StoredTextCipher } from '../secrets/stored-text-cipher.js';

/** Signing secrets as the database stores them, each bound to its webhook. */
@Injectable()
export class SigningSecretCipher extends StoredTextCipher {
  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
  ) {
    super(settings.WEBHOOK_SECRET_KEY, settings.WEBHOOK_SECRET_KEY_PREVIOUS, 'webhook signing secrets');
  }
}
