import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { keptJwtSecret } from './jwt-secret-file.js';

const KEY_ID_LENGTH = 12;

export interface SigningKey {
  /** Id of the key in a token's header; derived from the secret, so that it is the same on all instances. */
  readonly id: string;
  /** A KeyObject, not a string: `jsonwebtoken` would convert a string to a key for each token, 40 times slower. */
  readonly key: KeyObject;
}

/** The secret that signs tokens, and the previous one, which still verifies them. */
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
    if (!current) throw new Error('The signing keys are used before the application has started');
    return current;
  }

  /**
   * The key that a token's header names. The header is not verified yet: it only selects one of our keys.
   *
   * @returns undefined if the header can't be read or names no key of ours
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
