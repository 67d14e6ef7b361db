import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { Page, type PageRequest } from '../database/page.js';
import { type ActorNames, namesReader, withActorNames } from '../http/actor-names.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor } from '../http/required-role.js';
import { RunExplanationService } from './run-explanation.service.js';
import { type RunFilter, RunSearchRepository } from './run-search.repository.js';
import type { RunEntity } from './run.entity.js';

/**
 * Lists the runs of the caller's projects, each with the reason why it waits and the name of the person who asked
 * for it.
 */
@Injectable()
export class RunSearchService {
  constructor(
    private readonly searches: RunSearchRepository,
    private readonly explanations: RunExplanationService,
    private readonly lists: ListReads,
  ) {}

  list(
    caller: UserPrincipal,
    { projectId, ...rest }: Omit<RunFilter, 'projectIds'> & { readonly projectId?: string },
    request: PageRequest,
  ): Promise<Page<RunEntity & ActorNames>> {
    const filter = { ...rest, projectIds: projectsFor(caller, projectId) };
    const { q, labels, source, configVersion, statuses = [] } = filter;
    // The index on statuses has the runs of one in the order of the list, those of several one status after the other.
    const isSearch =
      statuses.length > 1 || [q, labels, source, configVersion].some((value) => value !== undefined);
    return this.lists.page(caller.userId, request, isSearch, async (connection) => {
      const page = await this.searches.list(connection, filter, request);
      const explained = await this.explanations.explainedAll(connection, page.items);
      const shown = page.shownAs(Page.of(explained, request));
      return withActorNames(connection, namesReader(caller), shown);
    });
  }
}
