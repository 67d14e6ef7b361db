import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { AgentDeploymentsController } from './agent-deployments.controller.js';
import { AgentRemoval } from './agent-removal.service.js';
import { DeploymentCommandsController } from './deployment-commands.controller.js';
import { DeploymentCommands } from './deployment-commands.service.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { DeploymentLifecycle } from './deployment-lifecycle.service.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { DeploymentsService } from './deployments.service.js';
import { HistoryRetention } from './history-retention.service.js';
import { LivenessService } from './liveness.service.js';
import { RuntimeReports } from './runtime-reports.service.js';

@Module({
  imports: [AgentsModule, CommandsModule],
  controllers: [AgentDeploymentsController, DeploymentCommandsController, DeploymentsController],
  providers: [
    AgentRemoval,
    DeploymentCommands,
    DeploymentEventsRepository,
    DeploymentLifecycle,
    DeploymentsRepository,
    DeploymentsService,
    HistoryRetention,
    LivenessService,
    RuntimeReports,
  ],
  exports: [DeploymentsService, LivenessService, RuntimeReports],
})
export class DeploymentsModule {}
