import { Global, Module } from '@nestjs/common';
import { ServiceMetrics } from './service-metrics.js';
import { ServiceMetricsController } from './service-metrics.controller.js';

@Global()
@Module({ controllers: [ServiceMetricsController], providers: [ServiceMetrics], exports: [ServiceMetrics] })
export class ObservabilityModule {}
