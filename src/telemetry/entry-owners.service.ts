import { Injectable } from '@nestjs/common';
import type { ProjectsReach } from '../access/reach.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { DeploymentReadingService } from '../deployments/deployment-reading.service.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';
import { RunReadingService } from '../runs/run-reading.service.js';
import { MentionedRunsService } from '../runs/mentioned-runs.service.js';
import { mentionedIds, type OwnedReferences } from './entry-references.js';
import type { SubmittedEntry } from './submission.js';
import type { TelemetrySource } from './telemetry.types.js';

const NONE: OwnedReferences = { deployments: new Set(), runs: new Map() };

/** Says which agents, deployments and runs entries may belong to. */
@Injectable()
export class EntryOwnersService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly deployments: DeploymentReadingService,
    private readonly mentionedDeployments: DeploymentsOfAgentsService,
    private readonly runs: RunReadingService,
    private readonly mentionedRuns: MentionedRunsService,
  ) {}

  /** The agent's own deployments and runs among those to which its entries refer. */
  async ownedAmong(agentId: string, entries: readonly SubmittedEntry[]): Promise<OwnedReferences> {
    const [deploymentIds, runIds] = [mentionedIds(entries, 'deployment_id'), mentionedIds(entries, 'run_id')];
    const [deployments, runs] = await Promise.all([
      deploymentIds.length > 0
        ? this.mentionedDeployments.ownedAmong(agentId, deploymentIds)
        : NONE.deployments,
      runIds.length > 0 ? this.mentionedRuns.ownedAmong(agentId, runIds) : NONE.runs,
    ]);
    return { deployments, runs };
  }

  /** @throws NotFoundError if the agent, the deployment or the run is not within the reach; ForbiddenError */
  async assertWithin(reach: ProjectsReach, source: TelemetrySource): Promise<void> {
    if ('agentId' in source) await this.agents.assertWithin(reach, source.agentId);
    else if ('deploymentId' in source) await this.deployments.findWithin(reach, source.deploymentId);
    else await this.runs.findWithin(reach, source.runId);
  }
}
