import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import type { Agent } from '../agents/agent.types.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { type ActorNames, namesReader, withActorNames } from '../http/actor-names.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor } from '../http/required-role.js';
import type { Pause, PauseFilter } from './pause.types.js';
import { PausesRepository } from './pauses.repository.js';

/** Reads pauses for people. */
@Injectable()
export class PauseReadingService {
  constructor(
    private readonly pauses: PausesRepository,
    private readonly agents: AgentReadingService,
    private readonly lists: ListReads,
  ) {}

  /** @throws NotFoundError if the caller sees no such project */
  list(
    caller: UserPrincipal,
    { projectId, ...rest }: Omit<PauseFilter, 'projectIds'> & { readonly projectId?: string },
    request: PageRequest,
  ): Promise<Page<Pause & ActorNames>> {
    const filter = { ...rest, projectIds: projectsFor(caller, projectId) };
    const isFiltered = rest.agentId !== undefined || rest.isOpen !== undefined;
    return this.lists.page(caller.userId, request, isFiltered, async (connection) =>
      withActorNames(connection, namesReader(caller), await this.pauses.list(connection, filter, request)),
    );
  }

  /** An agent with the pause that holds it now. */
  agent(connection: Connection, agentId: string): Promise<Agent> {
    return this.agents.get(connection, agentId);
  }
}
