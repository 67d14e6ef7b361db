import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { AgentConfigEntity } from './agent-config.entity.js';

@Injectable()
export class AgentConfigsRepository {
  async find(
    connection: Connection,
    agentId: string,
    configVersion: number,
  ): Promise<AgentConfigEntity | null> {
    const row = await selectRows(connection, AgentConfigEntity, 'version')
      .where({ agentId, configVersion })
      .getRawOne<AgentConfigEntity>();
    return row ?? null;
  }

  /** Newest first. */
  list(connection: Connection, agentId: string, request: PageRequest): Promise<Page<AgentConfigEntity>> {
    const newestFirst = selectRows(connection, AgentConfigEntity, 'version')
      .where({ agentId })
      .orderBy('version.configVersion', 'DESC');
    return readPage(connection, newestFirst, request, 'octet_length(config)');
  }
}
