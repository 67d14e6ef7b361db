import { Injectable } from '@nestjs/common';
import type { AgentPrincipal, Principal, UserPrincipal } from '../access/principal.js';
import { AgentStarts } from '../agents/agent-starts.service.js';
import { AgentsService } from '../agents/agents.service.js';
import { PresenceService } from '../agents/presence.service.js';
import { Transactor } from '../database/transactor.js';
import { type DeploymentResponse, toDeploymentResponse } from '../deployments/deployment.response.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import type { RegisterRequest } from './dto/runtime.requests.js';

/** Who registered, and what it is told. */
export interface Registration {
  readonly agentId: string;
  /** Only of an agent that was enrolled now. */
  readonly key?: string;
  readonly intervalSeconds: number;
  readonly deployments: readonly DeploymentResponse[];
}

@Injectable()
export class RegistrationService {
  constructor(
    private readonly agents: AgentsService,
    private readonly starts: AgentStarts,
    private readonly presence: PresenceService,
    private readonly deployments: DeploymentsService,
    private readonly transactor: Transactor,
  ) {}

  /** With an agent's key it updates that agent; with a person's credential it enrols a new agent of theirs. */
  async register(principal: Principal, details: RegisterRequest): Promise<Registration> {
    return principal.kind === 'agent' ? this.start(principal, details) : this.enrol(principal, details);
  }

  /** The sign of life comes first: once it is committed, nobody declares the agent lost any more. */
  private async start({ agentId }: AgentPrincipal, details: RegisterRequest): Promise<Registration> {
    const intervalSeconds = await this.presence.started(agentId);
    await this.starts.record({ agentId, details });
    const deployments = await this.deployments.latestOf(agentId);
    return { agentId, intervalSeconds, deployments: deployments.map(toDeploymentResponse) };
  }

  private async enrol({ userId }: UserPrincipal, details: RegisterRequest): Promise<Registration> {
    return this.transactor.run(async (tx) => {
      const { agent, key } = await this.agents.createIn(tx, userId, { name: details.name });
      await this.starts.recordIn(tx, { agentId: agent.id, details });
      const intervalSeconds = await this.presence.startedIn(tx, agent.id);
      return { agentId: agent.id, key, intervalSeconds, deployments: [] };
    });
  }
}
