import { Injectable } from '@nestjs/common';
import type { Reach, UserPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import { Page, type PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type { Agent, AgentFilter } from './agent.types.js';
import { AgentSearchRepository } from './agent-search.repository.js';
import { AgentsRepository } from './agents.repository.js';
import { PresenceService } from './presence.service.js';

@Injectable()
export class AgentReadingService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly searches: AgentSearchRepository,
    private readonly presence: PresenceService,
    private readonly lists: ListReads,
    private readonly database: Database,
  ) {}

  /**
   * Lists the caller's agents. An operator may ask for another user's; any other caller gets an empty list of those.
   *
   * @param userId owner of the agents; absent: the caller
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
    const page = await this.lists.page(caller.userId, request, isSearch(filter), (connection) =>
      isPlain(filter)
        ? this.agents.list(connection, { ...filter, userId }, request, this.presence.missedIntervals)
        : this.find(connection, { ...filter, userId }, request),
    );
    return page.map((agent) => this.agents.opened(agent));
  }

  /** Finds the ids first: reading whole agents only to sort them would take most of the time. */
  private async find(
    connection: Connection,
    filter: AgentFilter,
    request: PageRequest,
  ): Promise<Page<Agent>> {
    const { missedIntervals } = this.presence;
    const found = await this.searches.page(connection, filter, request, missedIntervals);
    const agents = await this.searches.show(connection, found.items, request.limit, missedIntervals);
    return found.shownAs(agents);
  }

  /** @throws NotFoundError if the agent does not exist, or belongs to another user */
  async findOwned(ownerId: string, agentId: string): Promise<Agent> {
    const agent = await this.agents.findOwned(
      this.database.people.manager,
      ownerId,
      agentId,
      this.presence.missedIntervals,
    );
    if (!agent) throw new NotFoundError('Agent');
    return this.agents.opened(agent);
  }

  /** @throws NotFoundError if there is no such agent within the reach */
  findWithin(reach: Reach, agentId: string): Promise<Agent> {
    return reach.kind === 'owner'
      ? this.findOwned(reach.ownerId, agentId)
      : this.get(this.database.people.manager, agentId);
  }

  /** Checks that the agent belongs to the user. @throws NotFoundError */
  async assertOwned(userId: string, agentId: string): Promise<void> {
    await this.findOwned(userId, agentId);
  }

  /** Checks any number of agents in one statement. @throws NotFoundError if one of them does not belong to the user */
  async assertAllOwned(userId: string, agentIds: readonly string[]): Promise<void> {
    const different = [...new Set(agentIds)];
    const owned = await this.agents.countOwned(this.database.people.manager, userId, different);
    if (owned < different.length) throw new NotFoundError('Agent');
  }

  /** Ids of the user's agents whose name contains a text, in any case; null if there are more than a thousand. */
  namesakes(connection: Connection, userId: string, q: string): Promise<string[] | null> {
    return this.searches.namesakes(connection, userId, q);
  }

  /** Ids of the user's agents that are not stopped. */
  listNotStopped(userId: string): Promise<string[]> {
    return this.agents.listNotStopped(this.database.people.manager, userId);
  }

  /**
   * Reads an agent for callers who are known to be its runtime or its owner. @throws NotFoundError if it has been
   * removed
   */
  async get(connection: Connection, agentId: string): Promise<Agent> {
    const agent = await this.agents.find(connection, agentId, this.presence.missedIntervals);
    if (!agent) throw new NotFoundError('Agent');
    return this.agents.opened(agent);
  }
}

function isPlain({ health, connection, q, idPrefix, type, labels, sort }: Partial<AgentFilter>): boolean {
  return [health, connection, q, idPrefix, type, labels, sort].every((each) => each === undefined);
}

/**
 * Returns true for a filter that may be slow. Times of heartbeats have no index, because each heartbeat would write it:
 * after an outage all agents may be silent and not declared lost, and are then looked up one by one. A text that all
 * agents contain selects all of them.
 */
function isSearch({ health, connection, q, sort }: Partial<AgentFilter>): boolean {
  return (
    [health, connection, q].some((each) => each !== undefined) || sort?.endsWith('last_heartbeat') === true
  );
}
