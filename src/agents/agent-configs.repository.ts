import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { type Place, readNewest } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { AgentConfigCipher, type ConfigPlace } from './agent-config-cipher.js';
import { AgentConfigEntity } from './agent-config.entity.js';

/** A config with its encrypted text. */
export interface StoredConfig extends ConfigPlace {
  readonly config: string;
}

/** A version of a config has a number, and no id. */
const BY_VERSION: Place<AgentConfigEntity> = {
  column: 'version.configVersion',
  isAfter: 'version.configVersion < :before',
  valueOf: ({ configVersion }) => String(configVersion),
};

@Injectable()
export class AgentConfigsRepository {
  constructor(private readonly cipher: AgentConfigCipher) {}

  async find(
    connection: Connection,
    agentId: string,
    configVersion: number,
  ): Promise<AgentConfigEntity | null> {
    const row = await selectRows(connection, AgentConfigEntity, 'version')
      .where({ agentId, configVersion })
      .getRawOne<AgentConfigEntity>();
    return row ? this.opened(row) : null;
  }

  /** Lists the versions of a config, newest first. */
  async list(
    connection: Connection,
    agentId: string,
    request: PageRequest,
  ): Promise<Page<AgentConfigEntity>> {
    const newestFirst = selectRows(connection, AgentConfigEntity, 'version').where({ agentId });
    const page = await readNewest(connection, newestFirst, request, 'octet_length(config)', BY_VERSION);
    return page.map((version) => this.opened(version));
  }

  /**
   * Lists configs that are encrypted under another key than this one, after a given one in the order of agents and
   * numbers.
   */
  listNotUnder(
    connection: Connection,
    sealPrefix: string,
    after: ConfigPlace,
    limit: number,
  ): Promise<StoredConfig[]> {
    return selectRows(connection, AgentConfigEntity, 'version', ['agentId', 'configVersion', 'config'])
      .where('NOT starts_with(version.config, :sealPrefix)', { sealPrefix })
      .andWhere('(version.agentId, version.configVersion) > (:agentId, :configVersion)', after)
      .orderBy('version.agentId')
      .addOrderBy('version.configVersion')
      .limit(limit)
      .getRawMany<StoredConfig>();
  }

  /** Replaces a stored config by the same config under another key. */
  async rewrite(
    connection: Connection,
    { agentId, configVersion }: ConfigPlace,
    config: string,
  ): Promise<void> {
    await connection.getRepository(AgentConfigEntity).update({ agentId, configVersion }, { config });
  }

  private opened(version: AgentConfigEntity): AgentConfigEntity {
    return { ...version, config: this.cipher.openOrSay(version, version.config) };
  }
}
