import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { instruments } from '../observability/instruments.js';
import { JOB_LOCKS, type JobName } from './advisory-locks.js';
import { Database } from './database.js';
import { deletion, PeriodicJob, type PeriodicJobOptions, type Step } from './periodic-job.js';
import type { Connection } from './transaction.js';

/** Only a round that did its work sets this, so the value of a job that has died grows old. */
export const roundFinished = new Gauge({
  name: 'control_plane_round_finished_timestamp_seconds',
  help: 'When this instance last completed a round of the job; unset before its first round',
  labelNames: ['round'],
  registers: [instruments],
});

type JobDeclaration<Given = Connection> = Omit<PeriodicJobOptions<Given>, 'onError' | 'onFinished' | 'lock'>;

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
  add(name: JobName, options: JobDeclaration, database = this.database): PeriodicJob {
    const job = PeriodicJob.of(database, this.options(name, options));
    this.jobs.set(name, job);
    return job;
  }

  /** Adds a job of several databases, as {@link add}. It runs while all of them are ready. */
  addInSteps(name: JobName, options: JobDeclaration<Step>, databases: readonly Database[]): void {
    this.jobs.set(name, PeriodicJob.inSteps(databases, this.options(name, options)));
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

  private options<Given>(name: JobName, options: JobDeclaration<Given>): PeriodicJobOptions<Given> {
    const onError = (error: unknown, task?: string) =>
      this.logger.warn({ err: error, job: name, task }, 'a periodic job failed; its next round tries again');
    const onFinished = () => roundFinished.setToCurrentTime({ round: name });
    return { ...options, lock: JOB_LOCKS[name], onFinished, onError };
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
