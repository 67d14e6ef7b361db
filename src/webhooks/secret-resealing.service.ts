import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { Database } from '../database/database.js';
import { resealAll } from '../secrets/reseal-all.js';
import { SigningSecretCipher } from './signing-secret-cipher.js';
import { type KeptSecret, WebhooksRepository } from './webhooks.repository.js';

const AT_ONCE = 200;
const BEGINNING = '00000000-0000-0000-0000-000000000000';

/** At each start: seals under the key in use what was kept under the one before it, or under none. */
@Injectable()
export class SecretResealing implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksRepository,
    private readonly cipher: SigningSecretCipher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { currentPrefix: prefix } = this.cipher;
    if (prefix === null) return;
    this.database.onceOpen(
      () => this.run(prefix),
      (error) =>
        this.logger.warn(
          { err: error },
          'webhook secrets could not be sealed anew; the next start tries again',
        ),
    );
  }

  private async run(prefix: string): Promise<void> {
    const { manager } = this.database.background;
    const unreadable = await resealAll<KeptSecret>({
      listAfter: (last) =>
        this.webhooks.listSecretsNotUnder(manager, prefix, last?.webhookId ?? BEGINNING, AT_ONCE),
      reseal: (kept) => this.reseal(kept),
    });
    if (unreadable === 0) return;
    this.logger.warn(
      { unreadable },
      'webhook secrets are sealed under a key that is gone: their webhooks fail',
    );
  }

  private async reseal(kept: KeptSecret): Promise<void> {
    const { webhookId } = kept;
    const anew = (secret: string) => this.cipher.encrypt(webhookId, this.cipher.decrypt(webhookId, secret));
    const previousSecret = kept.previousSecret === null ? null : anew(kept.previousSecret);
    const sealed = { webhookId, secret: anew(kept.secret), previousSecret };
    await this.webhooks.rewriteSecret(this.database.background.manager, kept, sealed);
  }
}
