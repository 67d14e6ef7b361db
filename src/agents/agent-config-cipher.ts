import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import { StoredTextCipher, UnreadableTextError } from '../secrets/stored-text-cipher.js';

/** Shown to people in the place of a config; a JSON document, as that is. Its owner can replace it, and no runtime gets it. */
export const UNREADABLE_CONFIG = JSON.stringify(
  'This config can not be read: it was sealed under a key that the service no longer has',
);

/** Characters of sealed and opened configs that are remembered: some 10,000 configs of the usual size. */
const REMEMBERED_CHARACTERS = 4 * 1_024 * 1_024;

/** The place of a config in the database. */
export interface ConfigPlace {
  readonly agentId: string;
  readonly configVersion: number;
}

interface OpenedConfig extends ConfigPlace {
  readonly config: string;
}

/** Configs as the database stores them, each bound to its agent and its number. They may hold secrets of the agent's. */
@Injectable()
export class AgentConfigCipher {
  private readonly cipher: StoredTextCipher;

  /**
   * Opened configs, by what is stored. Decrypting a short text takes 15 to 30 us, so without it the configs of a list take as
   * long as all else. The same text always opens to the same config: nothing has to be forgotten.
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

/** Both texts may be parts of a page of a list, all of which they would keep in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
