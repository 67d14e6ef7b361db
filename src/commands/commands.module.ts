import { Module } from '@nestjs/common';
import { CommandGauges } from './command-gauges.js';
import { CommandQueueService } from './command-queue.service.js';
import { CommandWaitingService } from './command-waiting.service.js';
import { CommandsRepository } from './commands.repository.js';
import { WaitingCommandsService } from './waiting-commands.service.js';

@Module({
  providers: [
    CommandsRepository,
    CommandGauges,
    CommandQueueService,
    CommandWaitingService,
    WaitingCommandsService,
  ],
  exports: [CommandQueueService, CommandWaitingService, WaitingCommandsService],
})
export class CommandsModule {}
