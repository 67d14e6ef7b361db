import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { JobName } from './advisory-locks.js';
import { Database } from './database.js';
import { deletion, type JobDeclaration, PeriodicJob, type Step, underLock } from './periodic-job.js';
import type { Connection } from './transaction.js';

/**
 * All jobs of this instance: started with the application, if it has the role `monitor`, and stopped before its end.
 * Their failures are logged.
 */
@Injectable()
export class PeriodicJobs implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs = new Map<JobName, Pick<PeriodicJob, 'start' | 'stop' | 'runOnce'>>();

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Adds a job. Must be called in a constructor, because jobs start together.
   *
   * @param name also its name in the log
   * @param database whose connection its tasks get, and which has its lock; absent: the main one
   */
  add(name: JobName, job: JobDeclaration, database = this.database): PeriodicJob {
    const hold: PeriodicJob['hold'] = (work) => underLock(name, database, work);
    const added = new PeriodicJob(name, [database], job, hold, this.logger);
    this.jobs.set(name, added);
    return added;
  }

  /**
   * Adds a job of several databases, as {@link add}. Each step takes a connection of its own, so that none is held while
   * another database is waited for. Two instances may be in different databases at once: every step must bear that
   * another instance has done it.
   */
  addInSteps(name: JobName, job: JobDeclaration<Step>, databases: readonly Database[]): void {
    const step: Step = (database, work) => underLock(name, database, work);
    this.jobs.set(name, new PeriodicJob(name, databases, job, (work) => work(step), this.logger));
  }

  /**
   * Adds a job that deletes rows past their retention.
   *
   * @param deletions by their names in the log; each deletes at most `limit` rows and returns their number
   * @param database as for {@link add}
   */
  addDeletions(
    name: JobName,
    intervalMs: number,
    deletions: Readonly<Record<string, (connection: Connection, limit: number) => Promise<number>>>,
    database = this.database,
  ): void {
    const tasks = Object.entries(deletions).map(([task, remove]) => deletion(task, remove));
    this.add(name, { intervalMs, tasks: () => tasks }, database);
  }

  /** Runs one round of a job now. @returns false if another instance runs one, or the database is unreachable */
  async runOnce(name: JobName): Promise<boolean> {
    return this.jobs.get(name)!.runOnce();
  }

  onApplicationBootstrap(): void {
    if (!this.settings.ROLES.includes('monitor')) return;
    for (const job of this.jobs.values()) job.start();
  }

  /** Waits for the parts of tasks under way, for a second at most. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.jobs.values()].map((job) => job.stop()));
  }
}
