import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import type { Step } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { KeptUsageRepository } from './kept-usage.repository.js';
import { SpanContentCipher } from './span-content-cipher.js';
import { SpanContentsRepository } from './span-contents.repository.js';
import { SpanContentsService } from './span-contents.service.js';
import { SpanPlacingService } from './span-placing.service.js';
import { SpanReadingService } from './span-reading.service.js';
import { SpanRevealsService } from './span-reveals.service.js';
import { SpanStoringService } from './span-storing.service.js';
import { SpanUsageService } from './span-usage.service.js';
import { SpansController } from './spans.controller.js';
import { SpansRepository } from './spans.repository.js';
import { ToolCallsRepository } from './tool-calls.repository.js';
import { ToolLoopsService } from './tool-loops.service.js';
import { TraceIngestService } from './trace-ingest.service.js';
import { TracesController } from './traces.controller.js';

const LOOPS_INTERVAL_MS = 30_000;
const USAGE_INTERVAL_MS = 30_000;
const RETENTION_INTERVAL_MS = 600_000;

@Module({
  imports: [AgentsModule, DeploymentsModule, QuotasModule, RunsModule, UsageModule],
  controllers: [TracesController, SpansController],
  providers: [
    KeptUsageRepository,
    SpanContentCipher,
    SpanContentsRepository,
    SpanContentsService,
    SpanPlacingService,
    SpanReadingService,
    SpanRevealsService,
    SpanStoringService,
    SpanUsageService,
    SpansRepository,
    ToolCallsRepository,
    ToolLoopsService,
    TraceIngestService,
  ],
})
export class TracesModule {
  constructor(
    jobs: PeriodicJobs,
    usage: SpanUsageService,
    loops: ToolLoopsService,
    calls: ToolCallsRepository,
  ) {
    const uncounted = (step: Step) => usage.tasks(step);
    jobs.addInSteps('uncountedUsage', { intervalMs: USAGE_INTERVAL_MS, tasks: uncounted }, usage.databases);
    jobs.add('toolLoops', { intervalMs: LOOPS_INTERVAL_MS, tasks: (connection) => loops.tasks(connection) });
    jobs.addDeletions('toolCallRetention', RETENTION_INTERVAL_MS, {
      'calls of tools': (connection, limit) => calls.deleteSilent(connection, limit),
    });
  }
}
