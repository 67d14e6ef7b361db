import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { NotFoundError } from '../errors/domain-error.js';
import { type ActorNames, namesReader, readActorNames, withActorNames } from '../http/actor-names.js';
import { ListReads } from '../http/list-reads.js';
import type { AgentConfigEntity } from './agent-config.entity.js';
import { AgentConfigsRepository } from './agent-configs.repository.js';
import { AgentReadingService } from './agent-reading.service.js';
import { ConfigRevealsService } from './config-reveals.service.js';
import type { ConfigView } from './agent.types.js';
import { viewFor } from './config-view.js';

/** A version of a config with the names of its actor. */
export type NamedConfig = AgentConfigEntity & ActorNames;

/** A version of a config, and how much of it the caller sees. */
export interface FoundConfig {
  readonly version: NamedConfig;
  readonly view: ConfigView;
}

/** Reads the versions of an agent's config. */
@Injectable()
export class AgentConfigsService {
  constructor(
    private readonly configs: AgentConfigsRepository,
    private readonly agents: AgentReadingService,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly reveals: ConfigRevealsService,
  ) {}

  /** Lists the versions of a config, newest first. @throws NotFoundError if the caller has no such agent */
  async list(caller: UserPrincipal, agentId: string, request: PageRequest): Promise<Page<NamedConfig>> {
    await this.agents.assertWithin(ownReachOf(caller), agentId);
    return this.lists.page(caller.userId, request, false, async (connection) =>
      withActorNames(connection, namesReader(caller), await this.configs.list(connection, agentId, request)),
    );
  }

  /**
   * @param reveals true: the reply will show the secrets of the config
   * @throws NotFoundError if the caller has no such agent, or the agent has no such version
   * @throws ForbiddenError if the caller may not have the secrets
   */
  async find(
    caller: UserPrincipal,
    agentId: string,
    configVersion: number,
    reveals: boolean,
  ): Promise<FoundConfig> {
    const { projectId } = await this.agents.findWithin(ownReachOf(caller), agentId);
    const { manager } = this.database.people;
    const version = await this.configs.find(manager, agentId, configVersion);
    if (!version) throw new NotFoundError('Config version');
    if (reveals) await this.reveals.record(caller, { id: agentId, projectId }, configVersion);
    const namesOf = await readActorNames(manager, namesReader(caller), [version.actor]);
    return { version: { ...version, ...namesOf(version.actor) }, view: viewFor(caller, projectId, reveals) };
  }
}
