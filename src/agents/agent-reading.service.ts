import { Injectable } from '@nestjs/common';
import type { ProjectsReach, Reach } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor, reached } from '../http/required-role.js';
import type { Agent, AgentFilter, ListedAgents } from './agent.types.js';
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
   * Lists the agents of the caller's projects, or of one of them.
   *
   * @throws NotFoundError if the caller sees no such project
   */
  async list(
    caller: UserPrincipal,
    { projectId, ...rest }: ListedAgents,
    request: PageRequest,
  ): Promise<Page<Agent>> {
    // An operator finds the agents of an account by its id, which is that of its personal project.
    const named = projectId ?? (caller.isAdmin ? rest.createdBy : undefined);
    const filter = { ...rest, projectIds: projectsFor(caller, named) };
    const page = await this.lists.page(caller.userId, request, isSearch(filter), (connection) =>
      isPlain(filter)
        ? this.agents.list(connection, filter, request, this.presence.missedIntervals)
        : this.find(connection, filter, request),
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

  /** @throws NotFoundError if there is no such agent within the reach */
  async findWithin(reach: Reach, agentId: string): Promise<Agent> {
    const { manager } = this.database.people;
    if (reach.kind === 'everybody') return this.get(manager, agentId);
    const { missedIntervals } = this.presence;
    const agent = await this.agents.findOwned(manager, reach.projectIds, agentId, missedIntervals);
    return this.agents.opened(reached(reach, agent, 'Agent'));
  }

  /** Checks that there is such an agent within the reach. @throws NotFoundError, ForbiddenError */
  async assertWithin(reach: ProjectsReach, agentId: string): Promise<void> {
    await this.findWithin(reach, agentId);
  }

  /** Checks that the caller sees all of these agents. @throws NotFoundError */
  async assertAllSeen({ projectIds }: ProjectsReach, agentIds: readonly string[]): Promise<void> {
    const different = [...new Set(agentIds)];
    const found = await this.agents.countAmong(this.database.people.manager, projectIds, different);
    if (found < different.length) throw new NotFoundError('Agent');
  }

  /** Ids of the project's agents that are not stopped. */
  listNotStopped(projectId: string): Promise<string[]> {
    return this.agents.listNotStopped(this.database.people.manager, projectId);
  }

  /**
   * Reads an agent for callers who are known to be its runtime or to see it. @throws NotFoundError if it has been
   * removed
   */
  async get(connection: Connection, agentId: string): Promise<Agent> {
    const agent = await this.agents.find(connection, agentId, this.presence.missedIntervals);
    if (!agent) throw new NotFoundError('Agent');
    return this.agents.opened(agent);
  }
}

function isPlain(filter: AgentFilter): boolean {
  const { health, connection, q, idPrefix, type, labels, outdated, sort, createdBy } = filter;
  return [health, connection, q, idPrefix, type, labels, outdated, sort, createdBy].every(
    (each) => each === undefined,
  );
}

/**
 * Returns true for a filter that may be slow. Times of heartbeats have no index, because each heartbeat would write it:
 * after an outage all agents may be silent and not declared lost, and are then looked up one by one. A text that all
 * agents contain selects all of them.
 */
function isSearch({ health, connection, q, sort, createdBy }: AgentFilter): boolean {
  return (
    [health, connection, q, createdBy].some((each) => each !== undefined) ||
    sort?.endsWith('last_heartbeat') === true ||
    sort === 'health'
  );
}
