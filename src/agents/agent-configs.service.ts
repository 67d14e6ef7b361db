import { ownReachOf, type UserPrincipal } from '../access/principal.js';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type { AgentConfigEntity } from './agent-config.entity.js';
import { AgentConfigCipher, type ConfigPlace } from './agent-config-cipher.js';
import { AgentConfigsRepository } from './agent-configs.repository.js';
import { AgentReadingService } from './agent-reading.service.js';

/** Reads the versions of an agent's config. */
@Injectable()
export class AgentConfigsService {
  constructor(
    private readonly configs: AgentConfigsRepository,
    private readonly agents: AgentReadingService,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly cipher: AgentConfigCipher,
  ) {}

  /** Lists the versions of a config, newest first. @throws NotFoundError if the caller has no such agent */
  async list(caller: UserPrincipal, agentId: string, request: PageRequest): Promise<Page<AgentConfigEntity>> {
    await this.agents.assertWithin(ownReachOf(caller), agentId);
    return this.lists.page(caller.userId, request, false, (connection) =>
      this.configs.list(connection, agentId, request),
    );
  }

  /** @throws NotFoundError if the caller has no such agent, or the agent has no such version */
  async find(caller: UserPrincipal, agentId: string, configVersion: number): Promise<AgentConfigEntity> {
    await this.agents.assertWithin(ownReachOf(caller), agentId);
    const version = await this.configs.find(this.database.people.manager, agentId, configVersion);
    if (!version) throw new NotFoundError('Config version');
    return version;
  }

  /** The clear text of a config as it was read from its row. @throws UnreadableTextError */
  open(place: ConfigPlace, stored: string): string {
    return this.cipher.open(place, stored);
  }
}
