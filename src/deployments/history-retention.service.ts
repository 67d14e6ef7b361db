import { Inject, Injectable } from '@nestjs/common';
import { CommandQueue } from '../commands/command-queue.service.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { JobTask, PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import type { Connection } from '../database/transaction.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';

const RETENTION_INTERVAL_MS = 3_600_000;
/** Rows in one statement, so that none holds its locks for long. */
const ROWS_IN_A_BITE = 5_000;

/** Deletes history, settled commands and killed deployments that are older than they have to be kept. */
@Injectable()
export class HistoryRetention {
  private readonly job: PeriodicJob;

  constructor(
    jobs: PeriodicJobs,
    private readonly events: DeploymentEventsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly commands: CommandQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.job = jobs.add('history retention', {
      lock: ADVISORY_LOCKS.historyRetention,
      intervalMs: RETENTION_INTERVAL_MS,
      tasks: () => this.tasks(),
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }

  private tasks(): JobTask[] {
    const { HISTORY_RETENTION_DAYS, COMMAND_RETENTION_DAYS } = this.settings;
    const bite = (name: string, remove: (connection: Connection) => Promise<number>): JobTask => ({
      name,
      run: async (connection) => (await remove(connection)) === ROWS_IN_A_BITE,
    });
    return [
      bite('events', (connection) =>
        this.events.deleteOld(connection, HISTORY_RETENTION_DAYS, ROWS_IN_A_BITE),
      ),
      bite('commands', (connection) =>
        this.commands.deleteSettled(connection, COMMAND_RETENTION_DAYS, ROWS_IN_A_BITE),
      ),
      bite('killed deployments', (connection) =>
        this.deployments.deleteKilled(connection, HISTORY_RETENTION_DAYS, ROWS_IN_A_BITE),
      ),
    ];
  }
}
