import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { WaitingCaller } from '../access/waiting-caller.js';
import { ConfigDeliveryService } from '../agents/config-delivery.service.js';
import { PresenceService } from '../agents/presence.service.js';
import type { LeasedCommand } from '../commands/command.types.js';
import { CommandWaitingService } from '../commands/command-waiting.service.js';
import { LOGGER } from '../config/injection-tokens.js';
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

  /**
   * See {@link CommandWaitingService.wait}.
   *
   * @param asked `wait`: maximum time to wait for a command, in seconds; `limit`: maximum number of commands
   */
  async poll(
    agentId: string,
    { wait, limit }: { readonly wait: number; readonly limit: number },
    caller: WaitingCaller,
  ): Promise<DeliveredCommand[]> {
    this.presence.markSeen(agentId);
    return this.opened(agentId, (await this.waiting.wait(agentId, limit, wait * 1_000, caller)) ?? []);
  }

  /**
   * Opens the configs of commands. A command whose config was changed in the database is left out, since an agent
   * must not run a config without an author; it is given up after its leases.
   */
  private opened(agentId: string, commands: readonly LeasedCommand[]): DeliveredCommand[] {
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
