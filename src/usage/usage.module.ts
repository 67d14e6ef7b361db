import { Module } from '@nestjs/common';
import { ModelPricesRepository } from './model-prices.repository.js';
import { ModelPricesService } from './model-prices.service.js';
import { UsageCountingRepository } from './usage-counting.repository.js';
import { UsageCountingService } from './usage-counting.service.js';

@Module({
  providers: [ModelPricesRepository, ModelPricesService, UsageCountingRepository, UsageCountingService],
  exports: [UsageCountingService],
})
export class UsageModule {}
