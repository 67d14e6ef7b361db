import { projectsFor } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentNamesService } from '../agents/agent-names.service.js';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import type { DeploymentEntity } from './deployment.entity.js';
import { type DeploymentFilter, DeploymentSearchRepository } from './deployment-search.repository.js';

/** Lists the deployments of the caller's projects. */
@Injectable()
export class DeploymentSearchService {
  constructor(
    private readonly searches: DeploymentSearchRepository,
    private readonly agents: AgentNamesService,
    private readonly lists: ListReads,
  ) {}

  list(
    caller: UserPrincipal,
    { projectId, ...rest }: Omit<DeploymentFilter, 'projectIds'> & { readonly projectId?: string },
    request: PageRequest,
  ): Promise<Page<DeploymentEntity>> {
    const filter = { ...rest, projectIds: projectsFor(caller, projectId) };
    const { q, failedSince, isWaiting } = filter;
    const isSearch = [q, failedSince, isWaiting].some((value) => value !== undefined);
    return this.lists.page(caller.userId, request, isSearch, async (connection) => {
      const named = q === undefined ? null : await this.agents.namesakes(connection, filter.projectIds, q);
      return this.searches.list(connection, filter, named, request);
    });
  }
}
