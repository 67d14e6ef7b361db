import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import type { Transaction } from '../database/transaction.js';
import { workloadOf } from '../lifecycle/agent-health.js';
import { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import { DeploymentsOfAgentsRepository } from './deployments-of-agents.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Holds and releases the deployments of an agent whose pause has begun or ended. */
@Injectable()
export class DeploymentPausesService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly lifecycle: DeploymentLifecycleService,
    private readonly agents: AgentLifecycleService,
    private readonly known: DeploymentsOfAgentsRepository,
  ) {}

  /**
   * Brings each active deployment into agreement with the agent's row, which the transaction has locked and changed.
   *
   * @param reason of a pause that begins
   */
  async follow(tx: Transaction, actor: Actor, agent: LockedAgent, reason: string | null): Promise<void> {
    const active = await this.deployments.lockActive(tx, agent.id);
    for (const deployment of active) await this.lifecycle.follow(tx, actor, { agent, deployment }, reason);
    await this.lifecycle.confirmPause(tx, agent);
    if (active.length > 0) return;
    const [latest = []] = await this.known.latestOf(tx, [agent.id], 1);
    await this.agents.setWorkload(tx, agent.id, workloadOf(latest));
  }
}
