import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { CommandQueue } from '../commands/command-queue.service.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';

const RETENTION_INTERVAL_MS = 3_600_000;
/** Rows in one statement, so that none holds its locks for long. */
const BATCH = 5_000;
const DAY_MS = 86_400_000;

/** Lets go of history and settled commands that are older than they have to be kept. */
@Injectable()
export class HistoryRetention {
  private readonly job: PeriodicJob;

  constructor(
    jobs: PeriodicJobs,
    private readonly events: DeploymentEventsRepository,
    private readonly commands: CommandQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.job = jobs.add('history retention', {
      lock: ADVISORY_LOCKS.historyRetention,
      intervalMs: RETENTION_INTERVAL_MS,
      run: () => this.round(),
    });
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
