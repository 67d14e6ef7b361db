import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { CommandQueue } from '../commands/command-queue.service.js';
import { LOGGER } from '../config/logger.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { Database } from '../database/database.js';
import { PeriodicJob } from '../database/periodic-job.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';

const RETENTION_INTERVAL_MS = 3_600_000;
/** Rows in one statement, so that none holds its locks for long. */
const BATCH = 5_000;
const DAY_MS = 86_400_000;

/** Lets go of history and settled commands that are older than they have to be kept. */
@Injectable()
export class HistoryRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: PeriodicJob;

  constructor(
    database: Database,
    private readonly events: DeploymentEventsRepository,
    private readonly commands: CommandQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new PeriodicJob(database, {
      lock: ADVISORY_LOCKS.historyRetention,
      intervalMs: RETENTION_INTERVAL_MS,
      run: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'a round of the history retention failed'),
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
    const events = firstIdOf(this.settings.HISTORY_RETENTION_DAYS);
    while ((await this.events.deleteBefore(events, BATCH)) === BATCH);
    const commands = firstIdOf(this.settings.COMMAND_RETENTION_DAYS);
    while ((await this.commands.deleteSettledBefore(commands, BATCH)) === BATCH);
  }
}

/** The smallest id that could have been made so many days ago. */
function firstIdOf(days: number): string {
  return uuidv7({ msecs: Date.now() - days * DAY_MS, seq: 0, random: new Uint8Array(16) });
}
