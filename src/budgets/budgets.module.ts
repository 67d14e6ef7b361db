import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { PausesModule } from '../pauses/pauses.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { BudgetHoldsService } from './budget-holds.service.js';
import { BudgetJudgingService } from './budget-judging.service.js';
import { BudgetReadingsRepository } from './budget-readings.repository.js';
import { BudgetReadingService } from './budget-reading.service.js';
import { BudgetRoundsService } from './budget-rounds.service.js';
import { BudgetRunsService } from './budget-runs.service.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';
import { BudgetStartsService } from './budget-starts.service.js';
import { BudgetStopsService } from './budget-stops.service.js';
import { BudgetWatchService } from './budget-watch.service.js';
import { BudgetsController } from './budgets.controller.js';
import { BudgetsRepository } from './budgets.repository.js';
import { BudgetsService } from './budgets.service.js';
import { FormerAgentsRepository } from './former-agents.repository.js';
import { FormerAgentsService } from './former-agents.service.js';

const INTERVAL_MS = 10_000;
const RETENTION_INTERVAL_MS = 3_600_000;

@Module({
  imports: [AgentsModule, DeploymentsModule, PausesModule, RunsModule, UsageModule, WebhooksModule],
  controllers: [BudgetsController],
  providers: [
    BudgetHoldsService,
    BudgetJudgingService,
    BudgetReadingService,
    BudgetReadingsRepository,
    BudgetRoundsService,
    BudgetRunsService,
    BudgetSpendingRepository,
    BudgetStartsService,
    BudgetStopsService,
    BudgetWatchService,
    BudgetsRepository,
    BudgetsService,
    FormerAgentsRepository,
    FormerAgentsService,
  ],
  exports: [BudgetReadingService],
})
export class BudgetsModule {
  constructor(jobs: PeriodicJobs, rounds: BudgetRoundsService, former: FormerAgentsRepository) {
    jobs.add('budgets', { intervalMs: INTERVAL_MS, tasks: () => rounds.tasks() });
    jobs.addDeletions('budgetRetention', RETENTION_INTERVAL_MS, {
      'former agents': (connection, limit) => former.deleteOld(connection, limit),
    });
  }
}
