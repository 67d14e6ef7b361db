import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { Injectable } from '@nestjs/common';
import type { AgentPresence } from '../agents/agent.types.js';
import { PresenceService } from '../agents/presence.service.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import type { CommandRecord, CommandState } from '../commands/command.types.js';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import { DeploymentReadingService } from './deployment-reading.service.js';

export interface CommandsOfDeployment {
  readonly commands: Page<CommandRecord>;
  readonly presence: AgentPresence;
  /** Ids of the keys that open configs. */
  readonly knownKeys: readonly string[];
}

/** Lists the commands of a deployment with their outcomes. */
@Injectable()
export class DeploymentCommandsService {
  constructor(
    private readonly deployments: DeploymentReadingService,
    private readonly commands: CommandQueueService,
    private readonly presence: PresenceService,
    private readonly lists: ListReads,
    private readonly sealingKeys: SealingKeysService,
  ) {}

  /** @throws NotFoundError */
  async list(
    caller: UserPrincipal,
    deploymentId: string,
    state: CommandState | null,
    request: PageRequest,
  ): Promise<CommandsOfDeployment> {
    const { agentId } = await this.deployments.findWithin(ownReachOf(caller), deploymentId);
    return {
      commands: await this.lists.page(caller.userId, request, state !== null, (connection) =>
        this.commands.listOf(connection, deploymentId, state, request),
      ),
      presence: await this.presence.of(agentId),
      knownKeys: this.sealingKeys.known,
    };
  }
}
