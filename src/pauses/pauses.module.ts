import { Inject, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { AgentPausesController } from './agent-pauses.controller.js';
import { AgentPausesRepository } from './agent-pauses.repository.js';
import { BudgetPausesService } from './budget-pauses.service.js';
import { PauseEffectsService } from './pause-effects.service.js';
import { PauseGroupsService } from './pause-groups.service.js';
import { PauseHandoverService } from './pause-handover.service.js';
import { PauseReadingService } from './pause-reading.service.js';
import { PauseRemovalService } from './pause-removal.service.js';
import { PausesController } from './pauses.controller.js';
import { PausesRepository } from './pauses.repository.js';
import { PausesService } from './pauses.service.js';

const RETENTION_INTERVAL_MS = 3_600_000;

@Module({
  imports: [AgentsModule, DeploymentsModule, RunsModule],
  controllers: [AgentPausesController, PausesController],
  providers: [
    AgentPausesRepository,
    BudgetPausesService,
    PauseEffectsService,
    PauseGroupsService,
    PauseHandoverService,
    PauseReadingService,
    PauseRemovalService,
    PausesRepository,
    PausesService,
  ],
  exports: [BudgetPausesService],
})
export class PausesModule {
  constructor(
    jobs: PeriodicJobs,
    pauses: PausesRepository,
    groups: PauseGroupsService,
    @Inject(SETTINGS) { HISTORY_RETENTION_DAYS, MONITOR_INTERVAL_SECONDS }: Settings,
  ) {
    const intervalMs = MONITOR_INTERVAL_SECONDS * 1_000;
    jobs.add('pauses', { intervalMs, tasks: (connection) => groups.tasks(connection) });
    jobs.addDeletions('pauseRetention', RETENTION_INTERVAL_MS, {
      pauses: (connection, limit) => pauses.deleteEnded(connection, HISTORY_RETENTION_DAYS, limit),
    });
  }
}
