import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { TelemetryModule } from '../telemetry/telemetry.module.js';
import { FleetGauges } from './fleet-gauges.js';
import { MonitorService } from './monitor.service.js';
import { RemovalPurgeService } from './removal-purge.service.js';

@Module({
  imports: [AgentsModule, DeploymentsModule, RunsModule, TelemetryModule],
  providers: [MonitorService, FleetGauges, RemovalPurgeService],
})
export class MonitorModule {}
