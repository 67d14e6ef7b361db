import { Module } from '@nestjs/common';
import { ModelPricesRepository } from './model-prices.repository.js';
import { ModelPricesService } from './model-prices.service.js';
import { UsageController } from './usage.controller.js';
import { UsageCountingRepository } from './usage-counting.repository.js';
import { UsageCountingService } from './usage-counting.service.js';
import { UsageReportRepository } from './usage-report.repository.js';
import { UsageReportService } from './usage-report.service.js';

@Module({
  controllers: [UsageController],
  providers: [
    ModelPricesRepository,
    ModelPricesService,
    UsageCountingRepository,
    UsageCountingService,
    UsageReportRepository,
    UsageReportService,
  ],
  exports: [UsageCountingService],
})
export class UsageModule {}
