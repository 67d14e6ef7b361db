import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { AgentRuntimeController } from './agent-runtime.controller.js';
import { CommandReplies } from './command-replies.service.js';
import { HeartbeatsService } from './heartbeats.service.js';
import { RegistrationBatcher } from './registration-batcher.service.js';
import { RegistrationService } from './registration.service.js';
import { RuntimeCommands } from './runtime-commands.service.js';
import { RuntimeQueriesService } from './runtime-queries.service.js';

@Module({
  imports: [AgentsModule, CommandsModule, DeploymentsModule],
  controllers: [AgentRuntimeController],
  providers: [
    CommandReplies,
    HeartbeatsService,
    RegistrationBatcher,
    RegistrationService,
    RuntimeCommands,
    RuntimeQueriesService,
  ],
})
export class AgentRuntimeModule {}
