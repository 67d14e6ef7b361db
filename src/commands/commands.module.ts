import { Module } from '@nestjs/common';
import { CommandGauges } from './command-gauges.js';
import { CommandQueue } from './command-queue.service.js';
import { CommandWaiting } from './command-waiting.service.js';
import { CommandsRepository } from './commands.repository.js';
import { WaitingCommandsService } from './waiting-commands.service.js';

@Module({
  providers: [CommandsRepository, CommandGauges, CommandQueue, CommandWaiting, WaitingCommandsService],
  exports: [CommandQueue, CommandWaiting, WaitingCommandsService],
})
export class CommandsModule {}
