import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { SpanPlacingService } from './span-placing.service.js';
import { SpanReadingService } from './span-reading.service.js';
import { SpansController } from './spans.controller.js';
import { SpansRepository } from './spans.repository.js';
import { TraceIngestService } from './trace-ingest.service.js';
import { TracesController } from './traces.controller.js';

@Module({
  imports: [AgentsModule, DeploymentsModule, RunsModule, UsageModule],
  controllers: [TracesController, SpansController],
  providers: [SpanPlacingService, SpanReadingService, SpansRepository, TraceIngestService],
})
export class TracesModule {}
