import type { UserPrincipal } from '../access/principal.js';
import { projectsFor } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import type { AgentSummary } from '../agents/agent.types.js';
import { AgentSummaryService } from '../agents/agent-summary.service.js';
import { WAITING_SECONDS, type WaitingCommands } from '../commands/command.types.js';
import { WaitingCommandsService } from '../commands/waiting-commands.service.js';
import type { DeploymentSummary } from '../deployments/deployment-summary.types.js';
import { DeploymentSummaryService } from '../deployments/deployment-summary.service.js';
import { ListReads } from '../http/list-reads.js';
import type { FailingWebhook } from '../webhooks/webhook.types.js';
import { WebhookReadingService } from '../webhooks/webhook-reading.service.js';

/** Number of resources of each kind that are listed; the others are only counted. */
const NAMED = 10;

export interface Overview {
  readonly agents: AgentSummary;
  readonly deployments: DeploymentSummary;
  readonly commands: WaitingCommands;
  readonly webhooks: readonly FailingWebhook[];
}

@Injectable()
export class OverviewService {
  constructor(
    private readonly agents: AgentSummaryService,
    private readonly deployments: DeploymentSummaryService,
    private readonly commands: WaitingCommandsService,
    private readonly webhooks: WebhookReadingService,
    private readonly lists: ListReads,
  ) {}

  /** Counts grow with the number of the user's agents, so this is a search. */
  read(caller: UserPrincipal, projectId?: string): Promise<Overview> {
    const projectIds = projectsFor(caller, projectId);
    return this.lists.search(caller.userId, async (connection) => ({
      agents: await this.agents.summary(connection, projectIds, NAMED),
      deployments: await this.deployments.summary(connection, projectIds, NAMED),
      commands: await this.commands.waiting(connection, projectIds, WAITING_SECONDS, NAMED),
      webhooks: await this.webhooks.failing(connection, projectIds),
    }));
  }
}
