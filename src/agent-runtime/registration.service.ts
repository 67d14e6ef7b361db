import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { AgentLifecycle } from '../agents/agent-lifecycle.service.js';
import { AgentsService } from '../agents/agents.service.js';
import { PresenceService } from '../agents/presence.service.js';
import type { Transaction } from '../database/transaction.types.js';
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
    private readonly lifecycle: AgentLifecycle,
    private readonly presence: PresenceService,
    private readonly deployments: DeploymentsService,
    private readonly transactor: Transactor,
  ) {}

  /** With an agent's key it updates that agent; with a person's credential it enrols a new agent of theirs. */
  async register(principal: Principal, details: RegisterRequest): Promise<Registration> {
    const { agentId, key, intervalSeconds } = await this.transactor.run((tx) =>
      this.signalStart(tx, principal, details),
    );
    const deployments = await this.deployments.latestOf(agentId);
    return {
      agentId,
      key,
      intervalSeconds,
      deployments: deployments.map(toDeploymentResponse),
    };
  }

  private async signalStart(tx: Transaction, principal: Principal, details: RegisterRequest) {
    const enrolled =
      principal.kind === 'user'
        ? await this.agents.createIn(tx, principal.userId, { name: details.name })
        : null;
    const agentId = principal.kind === 'agent' ? principal.agentId : enrolled!.agent.id;
    await this.agents.signal(tx, agentId, details);
    await this.lifecycle.registered(tx, agentId);
    const intervalSeconds = await this.presence.startedAnew(tx, agentId);
    return { agentId, key: enrolled?.key, intervalSeconds };
  }
}
