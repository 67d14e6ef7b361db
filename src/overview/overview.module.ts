import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { OverviewController } from './overview.controller.js';
import { OverviewService } from './overview.service.js';

@Module({
  imports: [AgentsModule, CommandsModule, DeploymentsModule, WebhooksModule],
  controllers: [OverviewController],
  providers: [OverviewService],
})
export class OverviewModule {}
