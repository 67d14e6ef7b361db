import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { Database } from '../database/database.js';
import { resealAll } from '../secrets/reseal-all.js';
import { AgentConfigCipher } from './agent-config-cipher.js';
import { AgentConfigsRepository, type StoredConfig } from './agent-configs.repository.js';

const AT_ONCE = 200;
const BEGINNING = { agentId: '00000000-0000-0000-0000-000000000000', configVersion: 0 };

/** At each start: seals under the key in use what was stored under the one before it, or under none. */
@Injectable()
export class ConfigResealing implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly configs: AgentConfigsRepository,
    private readonly cipher: AgentConfigCipher,
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
          'configs of agents could not be sealed anew; the next start tries again',
        ),
    );
  }

  private async run(prefix: string): Promise<void> {
    const { manager } = this.database.background;
    const unreadable = await resealAll<StoredConfig>({
      listAfter: (last = { ...BEGINNING, config: '' }) =>
        this.configs.listNotUnder(manager, prefix, last, AT_ONCE),
      reseal: (kept) => this.configs.rewrite(manager, kept, this.cipher.reseal(kept, kept.config)),
    });
    if (unreadable > 0) {
      this.logger.warn({ unreadable }, 'configs of agents are sealed under a key that is gone');
    }
  }
}
