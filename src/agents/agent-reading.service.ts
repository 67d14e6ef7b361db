import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import { Page, type PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import { AgentConfigCipher } from './agent-config-cipher.js';
import type { Agent, AgentFilter } from './agent.types.js';
import { AgentsRepository } from './agents.repository.js';
import { PresenceService } from './presence.service.js';

@Injectable()
export class AgentReadingService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly presence: PresenceService,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly cipher: AgentConfigCipher,
  ) {}

  /**
   * The caller's agents; an operator may ask for another user's, for anybody else those are an empty list.
   *
   * @param userId whose; absent: the caller's
   */
  async list(
    caller: UserPrincipal,
    filter: Omit<AgentFilter, 'userId'> & { userId?: string },
    request: PageRequest,
  ): Promise<Page<Agent>> {
    const userId = filter.userId ?? caller.userId;
    if (userId !== caller.userId && !caller.isAdmin) {
      return Page.of<Agent>([], request, request.includeTotal ? 0 : undefined);
    }
    const wanted = { ...filter, userId };
    // Connections have no index: the row of presence would be written twice with each heartbeat.
    const isFiltered = filter.health !== undefined || filter.connection !== undefined;
    const page = await this.lists.page(caller.userId, request, isFiltered, (connection) =>
      this.agents.list(connection, wanted, request, this.presence.missedIntervals),
    );
    return page.map((agent) => this.opened(agent));
  }

  /**
   * @param owner null: whoever it is
   * @throws NotFoundError where there is no such agent, or it is somebody else's
   */
  async findOwned(owner: string | null, agentId: string): Promise<Agent> {
    const agent = await this.agents.findOwned(
      this.database.people.manager,
      owner,
      agentId,
      this.presence.missedIntervals,
    );
    if (!agent) throw new NotFoundError('Agent');
    return this.opened(agent);
  }

  /** As {@link findOwned}. */
  async assertOwned(userId: string, agentId: string): Promise<void> {
    await this.findOwned(userId, agentId);
  }

  /** Ids of the user's agents that are not stopped. */
  listNotStopped(userId: string): Promise<string[]> {
    return this.agents.listNotStopped(this.database.people.manager, userId);
  }

  /** For callers who are known to be the agent itself, or its owner. @throws NotFoundError where it has been removed */
  async get(connection: Connection, agentId: string): Promise<Agent> {
    const agent = await this.agents.find(connection, agentId, this.presence.missedIntervals);
    if (!agent) throw new NotFoundError('Agent');
    return this.opened(agent);
  }

  /** With its config in clear. */
  private opened(agent: Agent): Agent {
    const { id: agentId, configVersion } = agent;
    return { ...agent, config: this.cipher.open({ agentId, configVersion }, agent.config) };
  }
}
