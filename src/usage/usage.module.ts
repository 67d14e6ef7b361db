import { Inject, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { RunsModule } from '../runs/runs.module.js';
import { ModelPricesController } from './model-prices.controller.js';
import { ModelPricesRepository } from './model-prices.repository.js';
import { ModelPricesService } from './model-prices.service.js';
import { SpendingRepository } from './spending.repository.js';
import { SpendingService } from './spending.service.js';
import { UsageController } from './usage.controller.js';
import { UsageCountingRepository } from './usage-counting.repository.js';
import { UsageCountingService } from './usage-counting.service.js';
import { UsageReportRepository } from './usage-report.repository.js';
import { UsageReportService } from './usage-report.service.js';
import { UsageRetentionRepository } from './usage-retention.repository.js';
import { UsageSourcesRepository } from './usage-sources.repository.js';
import { UsageSourcesService } from './usage-sources.service.js';
import { UsageReportsController } from './usage-reports.controller.js';
import { UsageReportsService } from './usage-reports.service.js';

const RETENTION_INTERVAL_MS = 3_600_000;

@Module({
  imports: [AgentsModule, RunsModule],
  // The runtime's route comes first: it is called most.
  controllers: [UsageReportsController, UsageController, ModelPricesController],
  providers: [
    ModelPricesRepository,
    ModelPricesService,
    SpendingRepository,
    SpendingService,
    UsageCountingRepository,
    UsageCountingService,
    UsageReportRepository,
    UsageReportService,
    UsageReportsService,
    UsageRetentionRepository,
    UsageSourcesRepository,
    UsageSourcesService,
  ],
  exports: [SpendingService, UsageCountingService],
})
export class UsageModule {
  constructor(
    jobs: PeriodicJobs,
    retention: UsageRetentionRepository,
    @Inject(SETTINGS) { USAGE_RETENTION_DAYS: days }: Settings,
  ) {
    jobs.addDeletions('usageRetention', RETENTION_INTERVAL_MS, {
      'usage by hour': (connection, limit) => retention.deleteHours(connection, days, limit),
      'usage of projects': (connection, limit) => retention.deleteHoursOfProjects(connection, days, limit),
      'usage by day': (connection, limit) => retention.deleteDays(connection, days, limit),
      'usage by week': (connection, limit) => retention.deleteWeeks(connection, days, limit),
    });
  }
}
