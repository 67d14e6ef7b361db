import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { TelemetryModule } from '../telemetry/telemetry.module.js';
import { InboundReportsController } from './inbound-reports.controller.js';
import { InboundReportsService } from './inbound-reports.service.js';

@Module({
  imports: [AgentsModule, DeploymentsModule, TelemetryModule],
  controllers: [InboundReportsController],
  providers: [InboundReportsService],
})
export class InboundReportsModule {}
