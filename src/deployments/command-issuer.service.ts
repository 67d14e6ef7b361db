import { Injectable } from '@nestjs/common';
import { AgentConfigs } from '../agents/agent-configs.service.js';
import { CommandQueue } from '../commands/command-queue.service.js';
import type { Transaction } from '../database/transaction.js';
import type { CommandAction } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';

/** Writes the commands that the steps of a deployment bring for its runtime. */
@Injectable()
export class CommandIssuer {
  constructor(
    private readonly configs: AgentConfigs,
    private readonly commands: CommandQueue,
  ) {}

  /**
   * Adds the command of the deployment's last step, with the config that the deployment was made with.
   *
   * @throws RateLimitedError when too many commands wait for the agent already
   */
  async issue(tx: Transaction, deployment: DeploymentEntity, action: CommandAction): Promise<void> {
    const { id, agentId, userId, generation, replicas } = deployment;
    const config = await this.configs.textOf(tx, agentId, deployment.configVersion);
    await this.commands.enqueue(tx, {
      userId,
      agentId,
      deploymentId: id,
      sequence: deployment.lastSequence,
      generation,
      action,
      parameters: { deployment_id: id, generation, replicas, config },
    });
  }

  /** Supersedes the deployment's commands that were not delivered yet. */
  async withdraw(tx: Transaction, deploymentId: string): Promise<void> {
    await this.commands.withdraw(tx, deploymentId);
  }
}
