import { setTimeout as delay } from 'node:timers/promises';
import { EntityManager } from 'typeorm';
import type { Database } from './database.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

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

export interface PeriodicJobOptions<Given = Connection> {
  /** A constant of the job; the instance with this lock runs it. */
  readonly lock: number;
  readonly intervalMs: number;
  /** Returns the tasks that are due now. */
  readonly tasks: (given: Given) => Promise<readonly JobTask<Given>[]> | readonly JobTask<Given>[];
  /** Called on every instance when the database is up for the first time, or again after an outage. */
  readonly onReconnect?: () => void;
  /** Called on the instance that ran the round, when no task is left. */
  readonly onFinished: () => void;
  /** @param task absent: the round itself failed */
  readonly onError: (error: unknown, task?: string) => void;
}

/**
 * Time for which the end of the service waits for the part of a task under way; milliseconds. Its connection is closed
 * after that.
 */
const STOP_PATIENCE_MS = 1_000;

/** Thrown while another instance has the lock of the job. */
class HeldElsewhereError extends Error {}

/** Gives a part of a round its connection, under the job's lock. @throws HeldElsewhereError */
type Hold<Given> = <T>(work: (given: Given) => Promise<T>) => Promise<T>;

/**
 * Work that is due regularly on one instance at a time: the instance that gets the advisory lock runs the round. The
 * lock belongs to a connection, so it ends with that, however its instance ends. It is the only connection that a round
 * uses, and it is returned between parts of tasks, so that jobs can share a pool of one.
 */
export class PeriodicJob<Given = Connection> {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  private constructor(
    private readonly databases: readonly Database[],
    private readonly options: PeriodicJobOptions<Given>,
    private readonly hold: Hold<Given>,
  ) {
    if (options.onReconnect) databases[0]!.listener.onReset(options.onReconnect);
  }

  /** A job of one database: the parts of a round share its connection. */
  static of(database: Database, options: PeriodicJobOptions): PeriodicJob {
    return new PeriodicJob([database], options, (work) => underLock(database, options.lock, work));
  }

  /**
   * A job of several databases. Each step takes a connection of its own, so that none is held while another database is waited for. Two
   * instances may be in different databases at once: every step must bear that another instance has done it.
   */
  static inSteps(databases: readonly Database[], options: PeriodicJobOptions<Step>): PeriodicJob<Step> {
    const step: Step = (database, work) => underLock(database, options.lock, work);
    return new PeriodicJob(databases, options, (work) => work(step));
  }

  start(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.runSoon();
      void this.round.then(() => this.start());
    }, this.options.intervalMs);
    this.timer.unref();
  }

  /** Starts a round, after the one under way, if any. Errors are passed to `onError`. */
  runSoon(): void {
    this.round = this.round
      .then(() => this.runOnce())
      .then(
        () => undefined,
        (error: unknown) => this.report(error),
      );
  }

  /** Waits for the part of a task under way, for a second at most. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const patience = new AbortController();
    const late = delay(STOP_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([this.round, late]);
    patience.abort();
  }

  /** Runs one round now. @returns false if another instance runs one, or a database is unreachable */
  async runOnce(): Promise<boolean> {
    if (this.databases.some(({ state }) => state !== 'ready')) return false;
    const failed = new Set<string>();
    let outcome = await this.bite(failed);
    while (outcome === 'more' && !this.stopped) outcome = await this.bite(failed);
    if (outcome === 'done') this.options.onFinished();
    return outcome !== 'elsewhere';
  }

  /** @param failed names of the round's failed tasks: a repetition could keep the round from ending */
  private async bite(failed: Set<string>): Promise<'elsewhere' | 'more' | 'done'> {
    try {
      return await this.hold(async (given) => ((await this.runTasks(given, failed)) ? 'more' : 'done'));
    } catch (error) {
      if (error instanceof HeldElsewhereError) return 'elsewhere';
      throw error;
    }
  }

  private async runTasks(given: Given, failed: Set<string>): Promise<boolean> {
    const tasks = (await this.options.tasks(given)).filter(({ name }) => !failed.has(name));
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
    if (!this.stopped) this.options.onError(error, task);
  }
}

/** By hand: TypeORM has no advisory locks. @throws HeldElsewhereError */
function underLock<T>(
  database: Database,
  lock: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return database.background.session(async (connection) => {
    const [row] = await rowsOf<{ locked: boolean }>(connection, 'SELECT pg_try_advisory_lock($1) AS locked', [
      lock,
    ]);
    if (!row?.locked) throw new HeldElsewhereError();
    try {
      return await work(connection);
    } finally {
      if (!isLost(connection)) await rowsOf(connection, 'SELECT pg_advisory_unlock($1)', [lock]);
    }
  });
}

/** True for a connection that was lost: whatever else a round does with it fails, too. */
function isLost(given: unknown): boolean {
  return given instanceof EntityManager && given.queryRunner?.isReleased === true;
}
