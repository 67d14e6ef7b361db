import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { AgentsService } from '../agents/agents.service.js';
import { LOGGER } from '../config/logger.js';
import { Database } from '../database/database.js';
import { PeriodicJob } from '../database/periodic-job.js';
import { TelemetryPurge } from '../telemetry/telemetry-purge.service.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';

const PURGE_INTERVAL_MS = 5_000;
const AGENTS_A_ROUND = 20;

/** Finishes the removal of agents: their logs and metrics, then the last row. Takes up again after a crash. */
@Injectable()
export class RemovalPurge implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: PeriodicJob;

  constructor(
    database: Database,
    private readonly agents: AgentsService,
    private readonly telemetry: TelemetryPurge,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new PeriodicJob(database, {
      lock: ADVISORY_LOCKS.removalPurge,
      intervalMs: PURGE_INTERVAL_MS,
      run: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'a round of the purge failed'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.job.stop();
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
