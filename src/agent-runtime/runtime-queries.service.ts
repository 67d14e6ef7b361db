import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import type { Agent } from '../agents/agent.types.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { PresenceService } from '../agents/presence.service.js';
import { Database } from '../database/database.js';
import { type DeploymentResponse, toAskedDeploymentResponse } from '../deployments/deployment.response.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';

export interface OwnStatus {
  readonly agent: Agent;
  readonly deployments: readonly DeploymentResponse[];
}

/** Reads the service's view of the calling agent. Each read counts as a call of the agent. */
@Injectable()
export class RuntimeQueriesService {
  constructor(
    private readonly presence: PresenceService,
    private readonly agents: AgentReadingService,
    private readonly deployments: DeploymentsOfAgentsService,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError if the agent has just been removed */
  async status({ agentId }: AgentPrincipal): Promise<OwnStatus> {
    this.presence.markSeen(agentId);
    const connection = this.database.runtimes.manager;
    const agent = await this.agents.get(connection, agentId);
    const [latest = []] = await this.deployments.latestOf(connection, [agentId]);
    return { agent, deployments: latest.map(toAskedDeploymentResponse) };
  }
}
