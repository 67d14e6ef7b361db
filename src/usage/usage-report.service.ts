import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor } from '../http/required-role.js';
import type { UsageRange } from './usage-range.js';
import { UsageReportRepository, type UsageSummary } from './usage-report.repository.js';
import { UsageSourcesRepository } from './usage-sources.repository.js';
import type { UsageGrouping, UsageSource } from './usage.types.js';

/** A sum of usage. */
export interface UsageAnswer extends UsageSummary {
  /** From what the models of the agent that was asked for are counted now; null: no agent, or no models, were asked for. */
  readonly sources: ReadonlyMap<string, UsageSource | null> | null;
}

export interface UsageQuestion {
  readonly grouping: UsageGrouping;
  readonly range: UsageRange;
  readonly projectId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
  /** The number of rows to leave out. */
  readonly skip: number;
}

/** Sums up what the caller's projects used. */
@Injectable()
export class UsageReportService {
  constructor(
    private readonly reports: UsageReportRepository,
    private readonly sources: UsageSourcesRepository,
    private readonly lists: ListReads,
  ) {}

  /**
   * The cost of reading grows with the number of agents, so this is a search.
   *
   * @throws NotFoundError if the caller has no such project; UnavailableError, InvalidError as `ListReads.search`
   */
  read(caller: UserPrincipal, question: UsageQuestion): Promise<UsageAnswer> {
    const { grouping, range, projectId, agentId, runId, skip } = question;
    const projectIds = projectsFor(caller, projectId);
    return this.lists.search(caller.userId, async (connection) => ({
      ...(await this.reports.read(connection, { projectIds, agentId, runId, skip }, range, grouping)),
      sources:
        agentId === undefined || grouping !== 'model'
          ? null
          : await this.sources.present(connection, projectIds, agentId),
    }));
  }
}
