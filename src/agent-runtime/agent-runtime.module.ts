import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { AgentRuntimeController } from './agent-runtime.controller.js';
import { CommandRepliesService } from './command-replies.service.js';
import { HeartbeatsService } from './heartbeats.service.js';
import { RegistrationBatcherService } from './registration-batcher.service.js';
import { RegistrationService } from './registration.service.js';
import { RuntimeCommandsService } from './runtime-commands.service.js';
import { RuntimeQueriesService } from './runtime-queries.service.js';
import { StartRecordsService } from './start-records.service.js';

@Module({
  imports: [AgentsModule, ApprovalsModule, CommandsModule, DeploymentsModule, RunsModule],
  controllers: [AgentRuntimeController],
  providers: [
    CommandRepliesService,
    HeartbeatsService,
    RegistrationBatcherService,
    RegistrationService,
    RuntimeCommandsService,
    RuntimeQueriesService,
    StartRecordsService,
  ],
})
export class AgentRuntimeModule {}
