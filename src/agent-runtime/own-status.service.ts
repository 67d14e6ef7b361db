import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import type { Agent } from '../agents/agent.types.js';
import { AgentsService } from '../agents/agents.service.js';
import { PresenceService } from '../agents/presence.service.js';
import { type DeploymentResponse, toDeploymentResponse } from '../deployments/deployment.response.js';
import { DeploymentsService } from '../deployments/deployments.service.js';

export interface OwnStatus {
  readonly agent: Agent;
  readonly deployments: readonly DeploymentResponse[];
}

@Injectable()
export class OwnStatusService {
  constructor(
    private readonly agents: AgentsService,
    private readonly presence: PresenceService,
    private readonly deployments: DeploymentsService,
  ) {}

  async read({ agentId }: AgentPrincipal): Promise<OwnStatus> {
    void this.presence.seen(agentId);
    const agent = await this.agents.find(agentId, null);
    return { agent, deployments: (await this.deployments.latestOf(agentId)).map(toDeploymentResponse) };
  }
}
