import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import { StoredTextCipher, UnreadableTextError } from '../secrets/stored-text-cipher.js';

/** Shown to people in the place of a config; a JSON document, as that is. Its owner can replace it, and no runtime gets it. */
export const UNREADABLE_CONFIG = JSON.stringify(
  "This config can't be decrypted: it was encrypted with a key that the service no longer has",
);

/** Size of the cache of decrypted configs, in characters of both texts: some 10,000 configs of the usual size. */
const REMEMBERED_CHARACTERS = 4 * 1_024 * 1_024;

/** Key of a config in the database. The encrypted text is bound to it. */
export interface ConfigPlace {
  readonly agentId: string;
  readonly configVersion: number;
}

interface OpenedConfig extends ConfigPlace {
  readonly config: string;
}

/** Encrypts and decrypts configs, each bound to its agent and its number. They may hold secrets of the agent. */
@Injectable()
export class AgentConfigCipher {
  private readonly cipher: StoredTextCipher;

  /**
   * Decrypted configs by their stored text. Decrypting a short text takes 15 to 30 us: without this cache the configs
   * of a list take as long as the rest of the request. The same text always decrypts to the same config, so no entry
   * gets stale.
   */
  private readonly opened = new LRUCache<string, OpenedConfig>({
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: ({ config }, stored) => config.length + stored.length,
  });

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
    @Inject(SealingKeysService) private readonly keys: Pick<SealingKeysService, 'inUse'>,
  ) {
    const { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS } = settings;
    this.cipher = new StoredTextCipher([WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS], 'agent configs');
  }

  async seal(place: ConfigPlace, config: string): Promise<string> {
    return this.cipher.encrypt(await this.keys.inUse(), ownerOf(place), config);
  }

  /** For people. @returns {@link UNREADABLE_CONFIG} where the key is gone: one such config must not fail a whole list */
  openOrSay(place: ConfigPlace, stored: string): string {
    try {
      return this.open(place, stored);
    } catch (error) {
      if (error instanceof UnreadableTextError) return UNREADABLE_CONFIG;
      throw error;
    }
  }

  /** @throws UnreadableTextError */
  open(place: ConfigPlace, stored: string): string {
    if (!this.cipher.isSealed(stored)) return stored;
    const { agentId, configVersion } = place;
    const known = this.opened.get(stored);
    if (known?.agentId === agentId && known.configVersion === configVersion) return known.config;
    const config = this.cipher.decrypt(ownerOf(place), stored);
    this.opened.set(copyOf(stored), { agentId: copyOf(agentId), configVersion, config });
    return config;
  }
}

function ownerOf({ agentId, configVersion }: ConfigPlace): string {
  return `${agentId}:${configVersion}`;
}

/**
 * Copies a text. V8 may keep a part of a page as a reference to the whole page, which the cache would then keep in
 * memory.
 */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
