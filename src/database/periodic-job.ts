import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { EntityManager } from 'typeorm';
import { instruments } from '../observability/instruments.js';
import { JOB_LOCKS, type JobName } from './advisory-locks.js';
import { answerInTime } from './answer-in-time.js';
import type { Database } from './database.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** Only a round that did its work sets this, so the value of a job that has died grows old. */
export const roundFinished = new Gauge({
  name: 'control_plane_round_finished_timestamp_seconds',
  help: 'When this instance last completed a round of the job; unset before its first round',
  labelNames: ['round'],
  registers: [instruments],
});

/** One task of a round. A failed one is logged and left to the next round, and the others still run. */
export interface JobTask<Given = Connection> {
  /** Name in the log, unique within the round. */
  readonly name: string;
  /**
   * Runs a part of the task: a few statements, within about a second.
   *
   * @param given the round's connection, or the {@link Step} of a job of several databases
   * @returns true if there is more to do: it runs again after the round's other tasks
   */
  readonly run: (given: Given) => Promise<boolean | void>;
}

/** Works on a connection of a database under the job's lock there, and returns the connection at the end of the work. */
export type Step = <T>(database: Database, work: (connection: Connection) => Promise<T>) => Promise<T>;

/** Number of tasks before other jobs get the connection. */
const TASKS_IN_A_BITE = 200;
/** Maximum number of rows in one statement, so that none holds its locks for long. */
const ROWS_IN_A_BITE = 5_000;

/**
 * A task that deletes rows in several statements.
 *
 * @param remove deletes at most `limit` rows, and returns their number
 */
export function deletion(
  name: string,
  remove: (connection: Connection, limit: number) => Promise<number>,
): JobTask {
  return {
    name,
    run: async (connection) => (await remove(connection, ROWS_IN_A_BITE)) === ROWS_IN_A_BITE,
  };
}

export interface JobDeclaration<Given = Connection> {
  readonly intervalMs: number;
  /** Returns the tasks that are due now. */
  readonly tasks: (given: Given) => Promise<readonly JobTask<Given>[]> | readonly JobTask<Given>[];
  /** Called on every instance when the job's database is up for the first time, or again after an outage. */
  readonly onReconnect?: () => void;
}

/**
 * Time for which the end of the service waits for the part of a task under way; milliseconds. Its connection is closed
 * after that.
 */
const STOP_PATIENCE_MS = 1_000;

/**
 * Maximum time from the start of an instance to the first round of a job; milliseconds. Otherwise instances that live
 * for less than an hour, such as those on spot machines or laptops, would never delete old rows.
 */
const FIRST_ROUND_MS = 300_000;

/** Thrown while another instance has the lock of the job. */
class HeldElsewhereError extends Error {}

/**
 * Work that is due regularly on one instance at a time: the instance that gets the advisory lock runs the round. The
 * lock belongs to a connection, so it ends with that, however its instance ends. It is the only connection that a round
 * uses, and it is returned between parts of tasks, so that jobs can share a pool of one.
 */
export class PeriodicJob<Given = Connection> {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  /**
   * @param databases no round begins unless all of them are ready
   * @param hold gives a part of a round its connection, under the job's lock
   */
  constructor(
    private readonly name: JobName,
    private readonly databases: readonly Database[],
    private readonly job: JobDeclaration<Given>,
    private readonly hold: <T>(work: (given: Given) => Promise<T>) => Promise<T>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    if (job.onReconnect) databases[0]!.listener.onReset(job.onReconnect);
  }

  start(): void {
    this.runAfter(Math.min(this.job.intervalMs, FIRST_ROUND_MS));
  }

  private runAfter(pauseMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(
      () => void this.runSoon().then(() => this.runAfter(this.job.intervalMs)),
      pauseMs,
    );
    this.timer.unref();
  }

  /** Runs a round after the one under way, if any. Its errors are logged. */
  runSoon(): Promise<void> {
    const next = this.round.then(async () => void (await this.runOnce()));
    this.round = next.catch((error: unknown) => this.report(error));
    return this.round;
  }

  /** Waits for the part of a task under way, for a second at most. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await answerInTime(this.round, STOP_PATIENCE_MS, () => undefined);
  }

  /** Runs one round now. @returns false if another instance runs one, or a database is unreachable */
  async runOnce(): Promise<boolean> {
    if (this.databases.some(({ state }) => state !== 'ready')) return false;
    const failed = new Set<string>();
    try {
      let hasMore = true;
      while (hasMore && !this.stopped) hasMore = await this.hold((given) => this.runTasks(given, failed));
    } catch (error) {
      if (error instanceof HeldElsewhereError) return false;
      throw error;
    }
    if (!this.stopped) roundFinished.setToCurrentTime({ round: this.name });
    return true;
  }

  /**
   * @param failed names of the round's failed tasks: a repetition could keep the round from ending
   * @returns true if there is more to do
   */
  private async runTasks(given: Given, failed: Set<string>): Promise<boolean> {
    const tasks = (await this.job.tasks(given)).filter(({ name }) => !failed.has(name));
    let hasMore = tasks.length > TASKS_IN_A_BITE;
    for (const task of tasks.slice(0, TASKS_IN_A_BITE)) {
      if (this.stopped) return false;
      try {
        if (await task.run(given)) hasMore = true;
      } catch (error) {
        if (error instanceof HeldElsewhereError || isLost(given)) throw error;
        failed.add(task.name);
        this.report(error, task.name);
      }
    }
    return hasMore;
  }

  private report(error: unknown, task?: string): void {
    // The end of the service cuts off the part under way, which is no failure.
    if (this.stopped) return;
    this.logger.warn(
      { err: error, job: this.name, task },
      'a periodic job failed; its next round tries again',
    );
  }
}

/** Works on a connection of a database, under the lock of a job. By hand: TypeORM has no advisory locks. @throws HeldElsewhereError */
export function underLock<T>(
  name: JobName,
  database: Database,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const lock = [JOB_LOCKS[name]];
  return database.background.session(async (connection) => {
    const [row] = await rowsOf<{ locked: boolean }>(
      connection,
      'SELECT pg_try_advisory_lock($1) AS locked',
      lock,
    );
    if (!row?.locked) throw new HeldElsewhereError();
    try {
      return await work(connection);
    } finally {
      if (!isLost(connection)) await rowsOf(connection, 'SELECT pg_advisory_unlock($1)', lock);
    }
  });
}

/** True for a connection that was lost: whatever else a round does with it fails, too. */
function isLost(given: unknown): boolean {
  return given instanceof EntityManager && given.queryRunner?.isReleased === true;
}
