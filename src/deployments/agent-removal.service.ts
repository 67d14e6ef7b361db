import { Injectable } from '@nestjs/common';
import { reachOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { AgentsService } from '../agents/agents.service.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import { Database } from '../database/database.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Removes an agent with all its deployments. It lives here because the agents' code does not know deployments. */
@Injectable()
export class AgentRemovalService {
  constructor(
    private readonly agents: AgentsService,
    private readonly agentLifecycle: AgentLifecycleService,
    private readonly deployments: DeploymentsRepository,
    private readonly commands: CommandQueueService,
    private readonly database: Database,
  ) {}

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
    }, caller.userId);
  }
}
