import { Injectable } from '@nestjs/common';
import { PresenceService } from '../agents/presence.service.js';
import type { Connection } from '../database/transaction.js';
import { errorLineOf } from '../lifecycle/error-line.js';
import { DeploymentSummaryRepository, type FailuresInHour } from './deployment-summary.repository.js';
import type { DeploymentSummary, FailingAgent } from './deployment-summary.types.js';
import { type FailingAgentRow, FailingAgentsRepository } from './failing-agents.repository.js';

@Injectable()
export class DeploymentSummaryService {
  constructor(
    private readonly summaries: DeploymentSummaryRepository,
    private readonly failing: FailingAgentsRepository,
    private readonly presence: PresenceService,
  ) {}

  /** Failures by the hour; an hour without any is left out. */
  failuresByHour(
    connection: Connection,
    projectIds: readonly string[],
    since: Date,
  ): Promise<FailuresInHour[]> {
    return this.summaries.failuresByHour(connection, projectIds, since);
  }

  /** @param named number of failing agents listed */
  async summary(
    connection: Connection,
    projectIds: readonly string[],
    named: number,
  ): Promise<DeploymentSummary> {
    const { counts, agents } = await this.failing.read(
      connection,
      projectIds,
      this.presence.rangesOf('failing'),
      named,
    );
    return {
      byStatus: await this.summaries.countByStatus(connection, projectIds),
      failures: counts,
      failing: agents.map(toFailingAgent),
    };
  }
}

function toFailingAgent({
  restarts,
  errorMessage,
  lastExit,
  workloadReason,
  ...agent
}: FailingAgentRow): FailingAgent {
  const said = errorMessage ?? lastExit?.message;
  return {
    ...agent,
    restarts: restarts ?? 0,
    error: (said === undefined ? undefined : errorLineOf(said)) ?? workloadReason,
  };
}
