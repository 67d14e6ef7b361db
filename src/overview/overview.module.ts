import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { BudgetsModule } from '../budgets/budgets.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AgentTimelineController } from './agent-timeline.controller.js';
import { AgentTimelineRepository } from './agent-timeline.repository.js';
import { AgentTimelineService } from './agent-timeline.service.js';
import { AttentionService } from './attention.service.js';
import { LimitsService } from './limits.service.js';
import { OverviewController } from './overview.controller.js';
import { OverviewDayService } from './overview-day.service.js';
import { OverviewService } from './overview.service.js';

@Module({
  imports: [
    AgentsModule,
    ApprovalsModule,
    BudgetsModule,
    CommandsModule,
    DeploymentsModule,
    QuotasModule,
    RunsModule,
    UsageModule,
    WebhooksModule,
  ],
  controllers: [AgentTimelineController, OverviewController],
  providers: [
    AgentTimelineRepository,
    AgentTimelineService,
    AttentionService,
    LimitsService,
    OverviewDayService,
    OverviewService,
  ],
})
export class OverviewModule {}
