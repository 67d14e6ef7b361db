import { Injectable } from '@nestjs/common';
import type { AgentPresence } from '../agents/agent.types.js';
import { PresenceService } from '../agents/presence.service.js';
import { CommandQueue } from '../commands/command-queue.service.js';
import type { CommandRecord, CommandState } from '../commands/command.types.js';
import type { Page, PageRequest } from '../database/page.js';
import { DeploymentsService } from './deployments.service.js';

export interface CommandsOfDeployment {
  readonly commands: Page<CommandRecord>;
  readonly presence: AgentPresence;
}

/** What was asked of a deployment's runtime, and what became of it. */
@Injectable()
export class DeploymentCommands {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly commands: CommandQueue,
    private readonly presence: PresenceService,
  ) {}

  /** @throws NotFoundError */
  async list(
    userId: string,
    deploymentId: string,
    state: CommandState | null,
    request: PageRequest,
  ): Promise<CommandsOfDeployment> {
    const { agentId } = await this.deployments.find(userId, deploymentId);
    return {
      commands: await this.commands.listOf(deploymentId, state, request),
      presence: await this.presence.of(agentId),
    };
  }
}
