import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import { StoredTextCipher } from '../secrets/stored-text-cipher.js';

/** Key of a content in the database, next to its time. The encrypted text is bound to it. */
export interface ContentPlace {
  readonly agentId: string;
  readonly id: string;
}

/** Encrypts and decrypts the content of spans, each bound to its agent and its span. */
@Injectable()
export class SpanContentCipher {
  private readonly cipher: StoredTextCipher;

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
    @Inject(SealingKeysService) private readonly keys: Pick<SealingKeysService, 'inUse'>,
  ) {
    const { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS } = settings;
    this.cipher = new StoredTextCipher([WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS], 'span contents');
  }

  async seal(place: ContentPlace, content: string): Promise<string> {
    return this.cipher.encrypt(await this.keys.inUse(), ownerOf(place), content);
  }

  /** @throws UnreadableTextError */
  open(place: ContentPlace, stored: string): string {
    return this.cipher.decrypt(ownerOf(place), stored);
  }
}

function ownerOf({ agentId, id }: ContentPlace): string {
  return `${agentId}:${id}`;
}
