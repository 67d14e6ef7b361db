import { Injectable } from '@nestjs/common';
import { PresenceService } from '../agents/presence.service.js';
import { Database } from '../database/database.js';
import { DeploymentReadingService } from '../deployments/deployment-reading.service.js';
import { RunQueueService } from './run-queue.service.js';
import { runWaitingReason } from './run-waiting-reason.js';
import type { RunEntity } from './run.entity.js';
import { RunsRepository } from './runs.repository.js';

/** Says why runs wait. */
@Injectable()
export class RunExplanationService {
  constructor(
    private readonly queue: RunQueueService,
    private readonly deployments: DeploymentReadingService,
    private readonly presence: PresenceService,
    private readonly database: Database,
    private readonly runs: RunsRepository,
  ) {}

  /** A run with the reason why it waits: a queued one does not store it. */
  async explained(run: RunEntity): Promise<RunEntity> {
    if (run.status !== 'queued') return run;
    const { manager } = this.database.people;
    const [presence, active, { held }, isBehindAnother] = await Promise.all([
      this.presence.of(run.agentId),
      this.deployments.activeOf(manager, run.agentId),
      this.queue.stateOf(run.agentId),
      run.isSerial && this.runs.isBehindAnother(manager, run.id),
    ]);
    const facts = {
      presence,
      hasActiveDeployment: active.length > 0,
      held: held.length,
      isBehindAnother,
      now: new Date(),
    };
    return { ...run, waitingReason: runWaitingReason(run, facts) };
  }
}
