import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { ModelPricesRepository } from './model-prices.repository.js';
import { ModelPricesService } from './model-prices.service.js';
import { UsageController } from './usage.controller.js';
import { UsageCountingRepository } from './usage-counting.repository.js';
import { UsageCountingService } from './usage-counting.service.js';
import { UsageReportRepository } from './usage-report.repository.js';
import { UsageReportService } from './usage-report.service.js';
import { UsageReportsController } from './usage-reports.controller.js';
import { UsageReportsService } from './usage-reports.service.js';

@Module({
  imports: [AgentsModule, RunsModule],
  // The runtime's route comes first: it is called most.
  controllers: [UsageReportsController, UsageController],
  providers: [
    ModelPricesRepository,
    ModelPricesService,
    UsageCountingRepository,
    UsageCountingService,
    UsageReportRepository,
    UsageReportService,
    UsageReportsService,
  ],
  exports: [UsageCountingService],
})
export class UsageModule {}
