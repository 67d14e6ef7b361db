import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { NIL } from 'uuid';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { resealOnceOpen } from '../secrets/resealing.js';
import { SigningSecretCipher } from './signing-secret-cipher.js';
import { type KeptSecret, WebhooksRepository } from './webhooks.repository.js';

const AT_ONCE = 200;

/** At each start: seals under the key in use what was stored under the one before it, or under none. */
@Injectable()
export class SecretResealingService implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksRepository,
    private readonly cipher: SigningSecretCipher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { database, logger, webhooks, cipher } = this;
    const { background } = database;
    resealOnceOpen<KeptSecret>(
      { database, logger },
      {
        name: 'signing secrets of webhooks',
        prefix: cipher.currentPrefix,
        listAfter: (prefix, last) =>
          webhooks.listSecretsNotUnder(background.manager, prefix, last?.webhookId ?? NIL, AT_ONCE),
        reseal: (kept) => webhooks.rewriteSecret(background.manager, kept, this.sealedAnew(kept)),
      },
    );
  }

  private sealedAnew({ webhookId, secret, previousSecret }: KeptSecret): KeptSecret {
    const anew = (stored: string) => this.cipher.encrypt(webhookId, this.cipher.decrypt(webhookId, stored));
    return {
      webhookId,
      secret: anew(secret),
      previousSecret: previousSecret === null ? null : anew(previousSecret),
    };
  }
}
