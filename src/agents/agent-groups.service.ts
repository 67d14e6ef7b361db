import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor } from '../http/required-role.js';
import type { ListedAgents } from './agent.types.js';
import { AgentGroupsRepository } from './agent-groups.repository.js';
import type { AgentGrouping, AgentGroups } from './agent-groups.types.js';
import { PresenceService } from './presence.service.js';

@Injectable()
export class AgentGroupsService {
  constructor(
    private readonly groups: AgentGroupsRepository,
    private readonly presence: PresenceService,
    private readonly lists: ListReads,
  ) {}

  /**
   * Counts the agents of the caller's projects, or of one of them, by a property. The cost grows with their number, so
   * this is a search.
   *
   * @throws NotFoundError if the caller sees no such project
   */
  async list(
    caller: UserPrincipal,
    { projectId, ...rest }: ListedAgents,
    grouping: AgentGrouping,
  ): Promise<AgentGroups> {
    const filter = { ...rest, projectIds: projectsFor(caller, projectId) };
    const rows = await this.lists.search(caller.userId, (connection) =>
      this.groups.list(connection, filter, grouping, this.presence.missedIntervals),
    );
    return { total: rows[0]?.groups ?? 0, groups: rows };
  }
}
