import type { UserPrincipal } from '../access/principal.js';
import { projectsFor } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import type { AgentSummary } from '../agents/agent.types.js';
import { AgentSummaryService } from '../agents/agent-summary.service.js';
import type { DeploymentSummary } from '../deployments/deployment-summary.types.js';
import { DeploymentSummaryService } from '../deployments/deployment-summary.service.js';
import { ListReads } from '../http/list-reads.js';
import { type Spending, SpendingService } from '../usage/spending.service.js';
import { AttentionService, type PendingWork } from './attention.service.js';

/** Number of resources of each kind that are listed; the others are only counted. */
const NAMED = 10;
/** Current failures come first. */
const NAMED_FAILING = 25;

export interface Overview extends PendingWork {
  readonly agents: AgentSummary;
  readonly deployments: DeploymentSummary;
  readonly spending: Spending;
}

@Injectable()
export class OverviewService {
  constructor(
    private readonly agents: AgentSummaryService,
    private readonly deployments: DeploymentSummaryService,
    private readonly attention: AttentionService,
    private readonly spending: SpendingService,
    private readonly lists: ListReads,
  ) {}

  /** Counts grow with the number of the user's agents, so this is a search. */
  read(caller: UserPrincipal, projectId?: string): Promise<Overview> {
    const projectIds = projectsFor(caller, projectId);
    return this.lists.search(caller.userId, async (connection) => ({
      agents: await this.agents.summary(connection, projectIds, NAMED),
      deployments: await this.deployments.summary(connection, projectIds, NAMED_FAILING),
      spending: await this.spending.read(connection, projectIds),
      ...(await this.attention.read(connection, caller, projectIds, NAMED)),
    }));
  }
}
