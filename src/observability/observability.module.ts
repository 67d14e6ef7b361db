import { Global, Module } from '@nestjs/common';
import { MetricsServer } from './metrics-server.js';
import { ServiceMetrics } from './service-metrics.js';
import { ServiceMetricsController } from './service-metrics.controller.js';

@Global()
@Module({
  controllers: [ServiceMetricsController],
  providers: [ServiceMetrics, MetricsServer],
  exports: [ServiceMetrics],
})
export class ObservabilityModule {}
