import { Injectable } from '@nestjs/common';
import { AgentHandoverService, type Handover } from '../agents/agent-handover.service.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import type { Transaction } from '../database/transaction.js';
import { HANDED_OVER } from './deployment-happening.js';
import { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Hands the deployments of an agent over with it, and their commands. */
@Injectable()
export class DeploymentHandoverService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly lifecycle: DeploymentLifecycleService,
    private readonly commands: CommandQueueService,
    handovers: AgentHandoverService,
  ) {
    handovers.onHandover((tx, handover) => this.move(tx, handover));
  }

  /** Past events keep their numbers in the former project. Each active deployment has its first event in the new one. */
  private async move(tx: Transaction, { agentId, projectId, actor }: Handover): Promise<void> {
    await this.deployments.moveOf(tx, agentId, projectId);
    await this.commands.moveForAgent(tx, agentId, projectId);
    for (const deployment of await this.deployments.lockActive(tx, agentId)) {
      await this.lifecycle.record(tx, actor, deployment, HANDED_OVER, null);
    }
  }
}
