import { Module } from '@nestjs/common';
import { CommandGauges } from './command-gauges.js';
import { CommandQueue } from './command-queue.service.js';
import { CommandWaiting } from './command-waiting.service.js';
import { CommandsRepository } from './commands.repository.js';

@Module({
  providers: [CommandsRepository, CommandGauges, CommandQueue, CommandWaiting],
  exports: [CommandQueue, CommandWaiting],
})
export class CommandsModule {}
