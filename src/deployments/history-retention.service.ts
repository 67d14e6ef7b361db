import { Inject, Injectable } from '@nestjs/common';
import { CommandQueue } from '../commands/command-queue.service.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { deletion, type JobTask } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';

const RETENTION_INTERVAL_MS = 3_600_000;

/** Deletes history, settled commands and killed deployments that are older than they have to be kept. */
@Injectable()
export class HistoryRetention {
  constructor(
    jobs: PeriodicJobs,
    private readonly events: DeploymentEventsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly commands: CommandQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    jobs.add('historyRetention', {
      intervalMs: RETENTION_INTERVAL_MS,
      tasks: () => this.tasks(),
    });
  }

  private tasks(): JobTask[] {
    const { HISTORY_RETENTION_DAYS, COMMAND_RETENTION_DAYS } = this.settings;
    return [
      deletion('events', (connection, limit) =>
        this.events.deleteOld(connection, HISTORY_RETENTION_DAYS, limit),
      ),
      deletion('commands', (connection, limit) =>
        this.commands.deleteSettled(connection, COMMAND_RETENTION_DAYS, limit),
      ),
      deletion('killed deployments', (connection, limit) =>
        this.deployments.deleteKilled(connection, HISTORY_RETENTION_DAYS, limit),
      ),
    ];
  }
}
