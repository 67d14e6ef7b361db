import { Module } from '@nestjs/common';
import { CommandGauges } from './command-gauges.js';
import { CommandQueueService } from './command-queue.service.js';
import { CommandWaitingService } from './command-waiting.service.js';
import { CommandsRepository } from './commands.repository.js';
import { EmptyQueues } from './empty-queues.js';
import { NewCommandsRepository } from './new-commands.repository.js';
import { NewCommandsService } from './new-commands.service.js';
import { WaitingCommandsService } from './waiting-commands.service.js';

@Module({
  providers: [
    CommandsRepository,
    CommandGauges,
    CommandQueueService,
    CommandWaitingService,
    EmptyQueues,
    NewCommandsRepository,
    NewCommandsService,
    WaitingCommandsService,
  ],
  exports: [CommandQueueService, CommandWaitingService, NewCommandsService, WaitingCommandsService],
})
export class CommandsModule {}
