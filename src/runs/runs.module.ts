import { Inject, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AgentRunsController } from './agent-runs.controller.js';
import { MentionedRunsService } from './mentioned-runs.service.js';
import { OwnRunRetentionService } from './own-run-retention.service.js';
import { ReportedRunsService } from './reported-runs.service.js';
import { RunApprovalsService } from './run-approvals.service.js';
import { RunAttentionRepository } from './run-attention.repository.js';
import { RunHoursRepository } from './run-hours.repository.js';
import { RunAttentionService } from './run-attention.service.js';
import { RunClaimsService } from './run-claims.service.js';
import { RunEventsRepository } from './run-events.repository.js';
import { RunExplanationService } from './run-explanation.service.js';
import { RunGauges } from './run-gauges.js';
import { RunHandoverService } from './run-handover.service.js';
import { RunLeasesService } from './run-leases.service.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import { RunLoopsService } from './run-loops.service.js';
import { RunMentionsRepository } from './run-mentions.repository.js';
import { RunMonitorService } from './run-monitor.service.js';
import { RunPausesService } from './run-pauses.service.js';
import { RunPurgeService } from './run-purge.service.js';
import { RunQueueRepository } from './run-queue.repository.js';
import { RunQueueService } from './run-queue.service.js';
import { RunReadingService } from './run-reading.service.js';
import { RunReportsService } from './run-reports.service.js';
import { RunSearchRepository } from './run-search.repository.js';
import { RunSearchService } from './run-search.service.js';
import { RunStatisticsRepository } from './run-statistics.repository.js';
import { RunStatisticsService } from './run-statistics.service.js';
import { RunTailService } from './run-tail.service.js';
import { RunTimeRepository } from './run-time.repository.js';
import { RunTakingService } from './run-taking.service.js';
import { RunWaitingFactsRepository } from './run-waiting-facts.repository.js';
import { RunWaitingService } from './run-waiting.service.js';
import { RunsController } from './runs.controller.js';
import { RunsRepository } from './runs.repository.js';
import { RunsService } from './runs.service.js';
import { TracedRunsRepository } from './traced-runs.repository.js';
import { TracedRunsService } from './traced-runs.service.js';
import { RuntimeRunsController } from './runtime-runs.controller.js';
import { AgentSchedulesController } from './schedules/agent-schedules.controller.js';
import { ScheduleChangesService } from './schedules/schedule-changes.service.js';
import { ScheduleHandoverService } from './schedules/schedule-handover.service.js';
import { ScheduleReadingService } from './schedules/schedule-reading.service.js';
import { ScheduleTurnsService } from './schedules/schedule-turns.service.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { SchedulesRepository } from './schedules/schedules.repository.js';
import { SchedulesService } from './schedules/schedules.service.js';
import { WrittenRunsRepository } from './written-runs.repository.js';
import { VersionStatisticsRepository } from './version-statistics.repository.js';

const RETENTION_INTERVAL_MS = 3_600_000;

@Module({
  imports: [AgentsModule, DeploymentsModule, QuotasModule, WebhooksModule],
  // The runtime's routes come first: they are called most.
  controllers: [
    RuntimeRunsController,
    AgentRunsController,
    RunsController,
    AgentSchedulesController,
    SchedulesController,
  ],
  providers: [
    MentionedRunsService,
    OwnRunRetentionService,
    ReportedRunsService,
    RunApprovalsService,
    RunAttentionRepository,
    RunHoursRepository,
    RunAttentionService,
    RunClaimsService,
    RunEventsRepository,
    RunExplanationService,
    RunGauges,
    RunHandoverService,
    RunLeasesService,
    RunLifecycleService,
    RunLoopsService,
    RunMentionsRepository,
    RunMonitorService,
    RunPausesService,
    RunPurgeService,
    RunQueueRepository,
    RunQueueService,
    RunReadingService,
    RunReportsService,
    RunSearchRepository,
    RunSearchService,
    RunStatisticsRepository,
    RunStatisticsService,
    RunTailService,
    RunTakingService,
    RunTimeRepository,
    RunWaitingFactsRepository,
    RunWaitingService,
    RunsRepository,
    RunsService,
    ScheduleChangesService,
    ScheduleHandoverService,
    ScheduleReadingService,
    ScheduleTurnsService,
    SchedulesRepository,
    SchedulesService,
    TracedRunsRepository,
    TracedRunsService,
    VersionStatisticsRepository,
    WrittenRunsRepository,
  ],
  exports: [
    MentionedRunsService,
    RunApprovalsService,
    RunAttentionService,
    RunLeasesService,
    RunLoopsService,
    RunPausesService,
    RunPurgeService,
    RunReadingService,
    RunTailService,
    TracedRunsService,
  ],
})
export class RunsModule {
  constructor(
    jobs: PeriodicJobs,
    runs: RunsRepository,
    time: RunTimeRepository,
    @Inject(SETTINGS) { RUN_RETENTION_DAYS, USAGE_RETENTION_DAYS }: Settings,
  ) {
    jobs.addDeletions('runRetention', RETENTION_INTERVAL_MS, {
      runs: (connection, limit) => runs.deleteEnded(connection, RUN_RETENTION_DAYS, limit),
      'times of runs by hour': (connection, limit) =>
        time.deleteHours(connection, USAGE_RETENTION_DAYS, limit),
      'times of runs by day': (connection, limit) => time.deleteDays(connection, USAGE_RETENTION_DAYS, limit),
    });
  }
}
