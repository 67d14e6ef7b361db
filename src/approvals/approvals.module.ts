import { Inject, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApprovalAnswersService } from './approval-answers.service.js';
import { ApprovalAttentionService } from './approval-attention.service.js';
import { ApprovalDecisionsService } from './approval-decisions.service.js';
import { ApprovalEndingsService } from './approval-endings.service.js';
import { ApprovalExpiryService } from './approval-expiry.service.js';
import { ApprovalGauges } from './approval-gauges.js';
import { ApprovalNewsService } from './approval-news.service.js';
import { ApprovalQuestionsService } from './approval-questions.service.js';
import { ApprovalReadingService } from './approval-reading.service.js';
import { ApprovalRunsService } from './approval-runs.service.js';
import { ApprovalSearchRepository } from './approval-search.repository.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalWaitingService } from './approval-waiting.service.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApproversRepository } from './approvers.repository.js';
import { OpenApprovalsService } from './open-approvals.service.js';
import { RuntimeApprovalsController } from './runtime-approvals.controller.js';
import { TwoApproversService } from './two-approvers.service.js';

const RETENTION_INTERVAL_MS = 3_600_000;

@Module({
  imports: [AgentsModule, DeploymentsModule, RunsModule, WebhooksModule],
  controllers: [RuntimeApprovalsController, ApprovalsController],
  providers: [
    ApprovalAnswersService,
    ApprovalAttentionService,
    ApprovalDecisionsService,
    ApprovalEndingsService,
    ApprovalExpiryService,
    ApprovalGauges,
    ApprovalNewsService,
    ApprovalQuestionsService,
    ApprovalReadingService,
    ApprovalRunsService,
    ApprovalSearchRepository,
    ApprovalStepsService,
    ApprovalWaitingService,
    ApprovalsRepository,
    ApproversRepository,
    OpenApprovalsService,
    TwoApproversService,
  ],
  exports: [ApprovalAttentionService, OpenApprovalsService],
})
export class ApprovalsModule {
  constructor(
    jobs: PeriodicJobs,
    approvals: ApprovalsRepository,
    expiry: ApprovalExpiryService,
    @Inject(SETTINGS) { HISTORY_RETENTION_DAYS, MONITOR_INTERVAL_SECONDS }: Settings,
  ) {
    const intervalMs = MONITOR_INTERVAL_SECONDS * 1_000;
    jobs.add('approvals', { intervalMs, tasks: (connection) => expiry.tasks(connection) });
    jobs.addDeletions('approvalRetention', RETENTION_INTERVAL_MS, {
      approvals: (connection, limit) => approvals.deleteDecided(connection, HISTORY_RETENTION_DAYS, limit),
    });
  }
}
