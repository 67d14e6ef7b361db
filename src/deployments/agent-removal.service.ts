import { Injectable } from '@nestjs/common';
import { reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { AgentsService } from '../agents/agents.service.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentRetentionRepository } from './deployment-retention.repository.js';

type RemovalStep = (tx: Transaction, agentId: string) => Promise<void>;

/** Removes an agent with all its deployments. It lives here because the agents' code does not know deployments. */
@Injectable()
export class AgentRemovalService {
  private readonly steps: RemovalStep[] = [];

  constructor(
    private readonly agents: AgentsService,
    private readonly agentLifecycle: AgentLifecycleService,
    private readonly deployments: DeploymentRetentionRepository,
    private readonly commands: CommandQueueService,
    private readonly database: Database,
  ) {}

  /** Registers what features above end with an agent, in the transaction in which its removal begins. */
  onRemoval(step: RemovalStep): void {
    this.steps.push(step);
  }

  /**
   * Begins the removal. With the commit no route finds the agent and its keys are refused. Logs and metrics are then
   * purged in the background, and the agent's row last.
   *
   * @throws NotFoundError
   */
  async begin(caller: UserPrincipal, agentId: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const agent = await this.agentLifecycle.lockWithin(tx, reachOf(caller), agentId);
      await this.agentLifecycle.apply(tx, agent, 'remove');
      await this.agents.beginRemoval(tx, caller, agent);
      await this.deployments.deleteOf(tx, agentId);
      await this.commands.wake(tx, agentId);
      for (const step of this.steps) await step(tx, agentId);
    }, caller.userId);
  }
}
