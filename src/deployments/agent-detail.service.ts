import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentAccessService } from '../agents/agent-access.service.js';
import type { Agent } from '../agents/agent.types.js';
import { Database } from '../database/database.js';
import type { DeploymentEntity } from './deployment.entity.js';
import { DeploymentReadingService } from './deployment-reading.service.js';

/** An agent, and its latest deployments, newest first. */
export interface AgentDetail {
  readonly agent: Agent;
  readonly deployments: readonly DeploymentEntity[];
}

@Injectable()
export class AgentDetailService {
  constructor(
    private readonly agents: AgentAccessService,
    private readonly deployments: DeploymentReadingService,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError as `AgentAccessService.find` */
  async read(caller: UserPrincipal, agentId: string): Promise<AgentDetail> {
    const agent = await this.agents.find(caller, agentId);
    const [deployments = []] = await this.deployments.latestOf(this.database.people.manager, [agentId]);
    return { agent, deployments };
  }
}
