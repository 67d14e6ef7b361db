import { Inject, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import { CommandsModule } from '../commands/commands.module.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AgentDeploymentsController } from './agent-deployments.controller.js';
import { AgentDetailService } from './agent-detail.service.js';
import { AgentRemovalService } from './agent-removal.service.js';
import { DeploymentCommandsController } from './deployment-commands.controller.js';
import { DeploymentCommandsService } from './deployment-commands.service.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { DeploymentHandoverService } from './deployment-handover.service.js';
import { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import { DeploymentPausesService } from './deployment-pauses.service.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsOfAgentsRepository } from './deployments-of-agents.repository.js';
import { DeploymentsOfAgentsService } from './deployments-of-agents.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { DeploymentReadingService } from './deployment-reading.service.js';
import { DeploymentRetentionRepository } from './deployment-retention.repository.js';
import { DeploymentSearchRepository } from './deployment-search.repository.js';
import { DeploymentSearchService } from './deployment-search.service.js';
import { DeploymentSummaryRepository } from './deployment-summary.repository.js';
import { DeploymentSummaryService } from './deployment-summary.service.js';
import { DeploymentsService } from './deployments.service.js';
import { UserStopsService } from './user-stops.service.js';
import { DeploymentStreamController } from './deployment-stream.controller.js';
import { EventFeedController } from './event-feed.controller.js';
import { EventFeedRepository } from './event-feed.repository.js';
import { EventFeedService } from './event-feed.service.js';
import { EventNumbersRepository } from './event-numbers.repository.js';
import { FailingAgentsRepository } from './failing-agents.repository.js';
import { HealthHoursController } from './health-hours.controller.js';
import { HealthHoursRepository } from './health-hours.repository.js';
import { HealthHoursService } from './health-hours.service.js';
import { LivenessRepository } from './liveness.repository.js';
import { LivenessService } from './liveness.service.js';
import { OwnerReportsService } from './owner-reports.service.js';
import { RuntimeReportsService } from './runtime-reports.service.js';

const RETENTION_INTERVAL_MS = 3_600_000;
/** Only for events that nobody reads. */
const NUMBERING_INTERVAL_MS = 10_000;

@Module({
  imports: [AgentsModule, CommandsModule, WebhooksModule],
  controllers: [
    // before the one of a single agent, whose path would take it
    HealthHoursController,
    AgentDeploymentsController,
    DeploymentCommandsController,
    DeploymentsController,
    DeploymentStreamController,
    EventFeedController,
  ],
  providers: [
    AgentDetailService,
    AgentRemovalService,
    DeploymentCommandsService,
    DeploymentEventsRepository,
    DeploymentHandoverService,
    DeploymentLifecycleService,
    DeploymentPausesService,
    DeploymentsOfAgentsRepository,
    DeploymentsOfAgentsService,
    DeploymentsRepository,
    DeploymentReadingService,
    DeploymentRetentionRepository,
    DeploymentSearchService,
    DeploymentSearchRepository,
    DeploymentSummaryRepository,
    DeploymentSummaryService,
    DeploymentsService,
    UserStopsService,
    EventFeedRepository,
    EventFeedService,
    EventNumbersRepository,
    FailingAgentsRepository,
    HealthHoursRepository,
    HealthHoursService,
    LivenessRepository,
    LivenessService,
    OwnerReportsService,
    RuntimeReportsService,
  ],
  exports: [
    AgentRemovalService,
    DeploymentPausesService,
    DeploymentReadingService,
    DeploymentsOfAgentsService,
    DeploymentsService,
    DeploymentSummaryService,
    LivenessService,
    OwnerReportsService,
    RuntimeReportsService,
    UserStopsService,
  ],
})
export class DeploymentsModule {
  constructor(
    jobs: PeriodicJobs,
    ended: DeploymentRetentionRepository,
    commands: CommandQueueService,
    numbers: EventNumbersRepository,
    @Inject(SETTINGS) { HISTORY_RETENTION_DAYS, COMMAND_RETENTION_DAYS }: Settings,
  ) {
    jobs.add('eventNumbers', { intervalMs: NUMBERING_INTERVAL_MS, tasks: () => [numbers.task] });
    jobs.addDeletions('historyRetention', RETENTION_INTERVAL_MS, {
      events: (connection, limit) => ended.deleteOldEvents(connection, HISTORY_RETENTION_DAYS, limit),
      'events of deleted projects': (connection, limit) =>
        ended.deleteEventsOfDeletedProjects(connection, limit),
      commands: (connection, limit) => commands.deleteSettled(connection, COMMAND_RETENTION_DAYS, limit),
      'killed deployments': (connection, limit) =>
        ended.deleteKilled(connection, HISTORY_RETENTION_DAYS, limit),
    });
  }
}
