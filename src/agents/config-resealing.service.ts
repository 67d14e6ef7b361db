import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { NIL } from 'uuid';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { resealOnceOpen } from '../secrets/resealing.js';
import { AgentConfigCipher } from './agent-config-cipher.js';
import { AgentConfigsRepository, type StoredConfig } from './agent-configs.repository.js';

const AT_ONCE = 200;
const BEGINNING: StoredConfig = { agentId: NIL, configVersion: 0, config: '' };

/** At each start: seals under the key in use what was stored under the one before it, or under none. */
@Injectable()
export class ConfigResealingService implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly configs: AgentConfigsRepository,
    private readonly cipher: AgentConfigCipher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { database, logger, configs, cipher } = this;
    const { background } = database;
    resealOnceOpen<StoredConfig>(
      { database, logger },
      {
        name: 'configs of agents',
        prefix: cipher.currentPrefix,
        listAfter: (prefix, last = BEGINNING) =>
          configs.listNotUnder(background.manager, prefix, last, AT_ONCE),
        reseal: (kept) => configs.rewrite(background.manager, kept, cipher.reseal(kept, kept.config)),
      },
    );
  }
}
