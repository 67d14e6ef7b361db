import { Injectable } from '@nestjs/common';
import { AgentsService } from '../agents/agents.service.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { TelemetryPurge } from '../telemetry/telemetry-purge.service.js';

const PURGE_INTERVAL_MS = 5_000;
const AGENTS_A_ROUND = 20;

/** Finishes the removal of agents: their logs and metrics, then the last row. Takes up again after a crash. */
@Injectable()
export class RemovalPurge {
  private readonly job: PeriodicJob;

  constructor(
    jobs: PeriodicJobs,
    private readonly agents: AgentsService,
    private readonly telemetry: TelemetryPurge,
  ) {
    this.job = jobs.add('removal purge', {
      lock: ADVISORY_LOCKS.removalPurge,
      intervalMs: PURGE_INTERVAL_MS,
      run: () => this.round(),
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }

  private async round(): Promise<void> {
    for (const agentId of await this.agents.listDeleting(AGENTS_A_ROUND)) {
      await this.telemetry.purge(agentId);
      await this.agents.finishRemoval(agentId);
    }
  }
}
