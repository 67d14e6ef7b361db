import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import type { WaitingCommands } from './waiting-command.types.js';
import { CommandsRepository } from './commands.repository.js';

@Injectable()
export class WaitingCommandsService {
  constructor(private readonly commands: CommandsRepository) {}

  /**
   * The user's commands that have been unanswered for this long.
   *
   * @param oldest number of commands listed
   */
  async waiting(
    connection: Connection,
    projectIds: readonly string[],
    seconds: number,
    oldest: number,
  ): Promise<WaitingCommands> {
    return {
      total: await this.commands.countOlder(connection, projectIds, seconds),
      oldest: await this.commands.listOlder(connection, projectIds, seconds, oldest),
    };
  }
}
