import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { keptJwtSecret } from './jwt-secret-file.js';

const KEY_ID_LENGTH = 12;

export interface SigningKey {
  /** Names the key in a token's header; derived from the secret, so all instances call it the same. */
  readonly id: string;
  /** Never the secret as a string: `jsonwebtoken` would make it into a key anew for each token, 40 times slower. */
  readonly key: KeyObject;
}

/** The secret that signs tokens, and the one before it, which still verifies. */
@Injectable()
export class SigningKeys implements OnModuleInit {
  private keys: readonly SigningKey[] = [];

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async onModuleInit(): Promise<void> {
    const { JWT_SECRET, JWT_SECRET_PREVIOUS, DATA_DIR } = this.settings;
    const current = JWT_SECRET || (await keptJwtSecret(DATA_DIR));
    this.keys = [current, JWT_SECRET_PREVIOUS].filter((secret) => secret !== '').map(signingKey);
  }

  get current(): SigningKey {
    const [current] = this.keys;
    if (!current) throw new Error('No signing key is there before the application has started');
    return current;
  }

  /**
   * The key that a token's header names. Nobody has vouched for the header yet: it only chooses among our own keys.
   *
   * @returns undefined when the header can't be read or names none of them
   */
  ofToken(token: string): KeyObject | undefined {
    const [header = ''] = token.split('.', 1);
    try {
      const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: unknown };
      return this.keys.find(({ id }) => id === kid)?.key;
    } catch {
      return undefined;
    }
  }
}

function signingKey(secret: string): SigningKey {
  const id = createHash('sha256').update(`key id of ${secret}`).digest('base64url').slice(0, KEY_ID_LENGTH);
  return { id, key: createSecretKey(secret, 'utf8') };
}
