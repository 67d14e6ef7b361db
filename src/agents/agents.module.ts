import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { deletion } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AgentAccessService } from './agent-access.service.js';
import { AgentChangesController } from './agent-changes.controller.js';
import { AgentChangesService } from './agent-changes.service.js';
import { AgentConfigCipher } from './agent-config-cipher.js';
import { AgentConfigsRepository } from './agent-configs.repository.js';
import { AgentConfigsService } from './agent-configs.service.js';
import { AgentDetailsRepository } from './agent-details.repository.js';
import { AgentGroupsController } from './agent-groups.controller.js';
import { AgentGroupsRepository } from './agent-groups.repository.js';
import { AgentGroupsService } from './agent-groups.service.js';
import { AgentHandoverService } from './agent-handover.service.js';
import { AgentHandoversRepository } from './agent-handovers.repository.js';
import { AgentLifecycleService } from './agent-lifecycle.service.js';
import { AgentNamesRepository } from './agent-names.repository.js';
import { AgentNamesService } from './agent-names.service.js';
import { AgentPausesService } from './agent-pauses.service.js';
import { AgentProjectsService } from './agent-projects.service.js';
import { AgentQuotasController } from './agent-quotas.controller.js';
import { AgentQuotasService } from './agent-quotas.service.js';
import { AgentReadingService } from './agent-reading.service.js';
import { AgentSearchRepository } from './agent-search.repository.js';
import { AgentSummaryRepository } from './agent-summary.repository.js';
import { AgentSummaryService } from './agent-summary.service.js';
import { AgentCapturesRepository } from './agent-captures.repository.js';
import { AgentCapturesService } from './agent-captures.service.js';
import { AgentStartsService } from './agent-starts.service.js';
import { AgentTransactionsService } from './agent-transactions.service.js';
import { AgentRecordsService } from './agent-records.service.js';
import { ConfigDeliveryService } from './config-delivery.service.js';
import { ConfigRevealsService } from './config-reveals.service.js';
import { AgentsController } from './agents.controller.js';
import { AgentsOnlineRepository } from './agents-online.repository.js';
import { AgentsRepository } from './agents.repository.js';
import { AgentsService } from './agents.service.js';
import { ConfigVersionsRepository } from './config-versions.repository.js';
import { ConfigVersionsService } from './config-versions.service.js';
import { HeldAgentsRepository } from './held-agents.repository.js';
import { LockedAgentsRepository } from './locked-agents.repository.js';
import { PresenceRepository } from './presence.repository.js';
import { PresenceService } from './presence.service.js';

/** Short enough that an outage of minutes is seen. */
const ONLINE_INTERVAL_MS = 5 * 60_000;
const CONFIG_RETENTION_INTERVAL_MS = 10 * 60_000;

@Module({
  imports: [ApiKeysModule, QuotasModule, WebhooksModule],
  // The first one is before `/agents/{agent_id}`, which would match its path.
  controllers: [AgentGroupsController, AgentChangesController, AgentQuotasController, AgentsController],
  providers: [
    AgentAccessService,
    AgentCapturesRepository,
    AgentCapturesService,
    AgentChangesService,
    AgentConfigCipher,
    AgentConfigsService,
    AgentConfigsRepository,
    AgentDetailsRepository,
    AgentGroupsRepository,
    AgentGroupsService,
    AgentHandoverService,
    AgentHandoversRepository,
    AgentNamesRepository,
    AgentNamesService,
    AgentPausesService,
    AgentProjectsService,
    AgentsOnlineRepository,
    AgentsRepository,
    AgentQuotasService,
    AgentReadingService,
    AgentRecordsService,
    AgentSearchRepository,
    AgentSummaryRepository,
    AgentSummaryService,
    AgentsService,
    AgentLifecycleService,
    AgentStartsService,
    AgentTransactionsService,
    ConfigDeliveryService,
    ConfigRevealsService,
    ConfigVersionsRepository,
    ConfigVersionsService,
    HeldAgentsRepository,
    LockedAgentsRepository,
    PresenceRepository,
    PresenceService,
  ],
  exports: [
    AgentAccessService,
    AgentCapturesService,
    AgentConfigsService,
    ConfigDeliveryService,
    ConfigVersionsService,
    AgentHandoverService,
    AgentNamesService,
    AgentPausesService,
    AgentProjectsService,
    AgentReadingService,
    AgentsService,
    AgentSummaryService,
    AgentLifecycleService,
    AgentStartsService,
    AgentTransactionsService,
    PresenceService,
  ],
})
export class AgentsModule {
  constructor(jobs: PeriodicJobs, versions: ConfigVersionsService, online: AgentsOnlineRepository) {
    jobs.add('agentsOnline', {
      intervalMs: ONLINE_INTERVAL_MS,
      tasks: () => [
        { name: 'count', run: (connection) => online.record(connection) },
        deletion('old hours', (connection, limit) => online.deleteOld(connection, limit)),
      ],
    });
    jobs.add('configRetention', { intervalMs: CONFIG_RETENTION_INTERVAL_MS, tasks: () => versions.tasks() });
  }
}
