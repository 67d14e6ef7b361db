import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ConfigDeliveryService } from '../agents/config-delivery.service.js';
import { PresenceService } from '../agents/presence.service.js';
import type { LeasedCommand } from '../commands/command.types.js';
import { CommandWaitingService } from '../commands/command-waiting.service.js';
import { LOGGER } from '../config/injection-tokens.js';
import type { PollCaller } from '../http/pending-poll.js';
import { UnreadableTextError } from '../secrets/stored-text-cipher.js';

/** A command with the decrypted config of its deployment. */
export interface DeliveredCommand extends LeasedCommand {
  readonly config: string;
}

/** Delivers the commands of the calling agent. Each poll counts as a call of the agent. */
@Injectable()
export class RuntimeCommandsService {
  constructor(
    private readonly waiting: CommandWaitingService,
    private readonly presence: PresenceService,
    private readonly configs: ConfigDeliveryService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** See {@link CommandWaitingService.poll}. @param waitSeconds maximum time to wait for a command */
  poll(agentId: string, waitSeconds: number, caller: PollCaller<readonly LeasedCommand[]>): void {
    this.presence.markSeen(agentId);
    this.waiting.poll(agentId, waitSeconds * 1_000, caller);
  }

  /** See {@link CommandWaitingService.look}. */
  look(...given: Parameters<CommandWaitingService['look']>): ReturnType<CommandWaitingService['look']> {
    return this.waiting.look(...given);
  }

  /**
   * Opens the configs of commands. A command whose config was changed in the database is left out, since an agent
   * must not run a config without an author; it is given up after its leases.
   */
  opened(agentId: string, commands: readonly LeasedCommand[]): DeliveredCommand[] {
    return commands.flatMap((command) => {
      const { storedConfig, configVersion } = command;
      try {
        return { ...command, config: this.configs.open({ agentId, configVersion }, storedConfig) };
      } catch (error) {
        if (!(error instanceof UnreadableTextError)) throw error;
        this.logger.error(
          { command_id: command.id },
          `a command's config could not be decrypted: ${error.message}`,
        );
        return [];
      }
    });
  }
}
