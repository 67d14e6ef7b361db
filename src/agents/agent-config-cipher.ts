import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { StoredTextCipher, UnreadableTextError } from '../secrets/stored-text-cipher.js';

/** A JSON document, as a config is. Its runtime refuses it, and its owner can replace it. */
export const UNREADABLE_CONFIG = JSON.stringify(
  'This config can not be read: it was sealed under a key that the service no longer has',
);

/** The place of a config in the database. */
export interface ConfigPlace {
  readonly agentId: string;
  readonly configVersion: number;
}

/** Configs as the database stores them, each bound to its agent and its number. They may hold secrets of the agent's. */
@Injectable()
export class AgentConfigCipher {
  private readonly cipher: StoredTextCipher;

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
  ) {
    const { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS } = settings;
    this.cipher = new StoredTextCipher(WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS, 'agent configs');
  }

  get currentPrefix(): string | null {
    return this.cipher.currentPrefix;
  }

  seal(place: ConfigPlace, config: string): string {
    return this.cipher.encrypt(ownerOf(place), config);
  }

  /** @returns {@link UNREADABLE_CONFIG} where the key is gone: one such config must not fail a whole list */
  open(place: ConfigPlace, stored: string): string {
    try {
      return this.cipher.decrypt(ownerOf(place), stored);
    } catch (error) {
      if (error instanceof UnreadableTextError) return UNREADABLE_CONFIG;
      throw error;
    }
  }

  /** Encrypts a stored config under the key in use. @throws UnreadableTextError */
  reseal(place: ConfigPlace, stored: string): string {
    return this.seal(place, this.cipher.decrypt(ownerOf(place), stored));
  }
}

function ownerOf({ agentId, configVersion }: ConfigPlace): string {
  return `${agentId}:${configVersion}`;
}
