import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentConfigsService } from '../agents/agent-configs.service.js';
import { PresenceService } from '../agents/presence.service.js';
import type { LeasedCommand, PollCaller } from '../commands/command.types.js';
import { CommandWaitingService } from '../commands/command-waiting.service.js';
import type { PollCommandsQuery } from './dto/runtime.requests.js';

/** A command with the config of its deployment in clear. */
export interface DeliveredCommand extends LeasedCommand {
  readonly config: string;
}

/** The commands of the calling agent. Asking is a sign of life. */
@Injectable()
export class RuntimeCommandsService {
  constructor(
    private readonly waiting: CommandWaitingService,
    private readonly presence: PresenceService,
    private readonly configs: AgentConfigsService,
  ) {}

  /** See {@link CommandWaitingService.poll}. */
  poll({ agentId }: AgentPrincipal, { limit, wait }: PollCommandsQuery, caller: PollCaller): void {
    this.presence.markSeen(agentId);
    this.waiting.poll(agentId, limit, wait * 1_000, caller);
  }

  opened(agentId: string, command: LeasedCommand): DeliveredCommand {
    const { storedConfig, configVersion } = command;
    return { ...command, config: this.configs.open({ agentId, configVersion }, storedConfig) };
  }
}
