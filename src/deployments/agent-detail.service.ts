import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentAccessService } from '../agents/agent-access.service.js';
import type { FoundAgent } from '../agents/agent.types.js';
import { Database } from '../database/database.js';
import type { DeploymentEntity } from './deployment.entity.js';
import { DeploymentsOfAgentsService } from './deployments-of-agents.service.js';

/** An agent, and its latest deployments, newest first. */
export interface AgentDetail extends FoundAgent {
  readonly deployments: readonly DeploymentEntity[];
}

@Injectable()
export class AgentDetailService {
  constructor(
    private readonly agents: AgentAccessService,
    private readonly deployments: DeploymentsOfAgentsService,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError, ForbiddenError as `AgentAccessService.find` */
  async read(caller: UserPrincipal, agentId: string, reveals: boolean): Promise<AgentDetail> {
    const found = await this.agents.find(caller, agentId, reveals);
    const [deployments = []] = await this.deployments.latestOf(this.database.people.manager, [agentId]);
    return { ...found, deployments };
  }
}
