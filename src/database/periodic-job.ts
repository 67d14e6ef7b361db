import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** One task of a round. A failed one is logged and left to the next round, and the others still run. */
export interface JobTask {
  /** Name in the log, unique within the round. */
  readonly name: string;
  /**
   * Runs a part of the task: a few statements on the round's connection, within about a second.
   *
   * @returns true if there is more to do: it runs again after the round's other tasks
   */
  readonly run: (connection: Connection) => Promise<boolean | void>;
}

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

export interface PeriodicJobOptions {
  /** A constant of the job; the instance with this lock runs it. */
  readonly lock: number;
  readonly intervalMs: number;
  /** Called before each part of a round, which holds no connection yet: reads what its tasks need from another database. */
  readonly prepare?: () => Promise<void>;
  /** Returns the tasks that are due now. */
  readonly tasks: (connection: Connection) => Promise<readonly JobTask[]> | readonly JobTask[];
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

/**
 * Work that is due regularly on one instance at a time: the instance that gets the advisory lock runs the round. The
 * lock belongs to a connection, so it ends with that, however its instance ends. It is the only connection that a round
 * uses, and it is returned between parts of tasks, so that jobs can share a pool of one. SQL by hand: TypeORM has no
 * advisory locks.
 */
export class PeriodicJob {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly options: PeriodicJobOptions,
  ) {
    if (options.onReconnect) database.listener.onReset(options.onReconnect);
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

  /** Runs one round now. @returns false if another instance runs one, or the database is unreachable */
  async runOnce(): Promise<boolean> {
    if (this.database.state !== 'ready') return false;
    const failed = new Set<string>();
    let outcome = await this.bite(failed);
    while (outcome === 'more' && !this.stopped) outcome = await this.bite(failed);
    if (outcome === 'done') this.options.onFinished();
    return outcome !== 'elsewhere';
  }

  /** @param failed names of the round's failed tasks: a repetition could keep the round from ending */
  private async bite(failed: Set<string>): Promise<'elsewhere' | 'more' | 'done'> {
    await this.options.prepare?.();
    return this.database.background.session(async (connection) => {
      if (!(await this.tryLock(connection))) return 'elsewhere';
      try {
        return (await this.runTasks(connection, failed)) ? 'more' : 'done';
      } finally {
        await rowsOf(connection, 'SELECT pg_advisory_unlock($1)', [this.options.lock]);
      }
    });
  }

  private async tryLock(connection: Connection): Promise<boolean> {
    const [row] = await rowsOf<{ locked: boolean }>(connection, 'SELECT pg_try_advisory_lock($1) AS locked', [
      this.options.lock,
    ]);
    return row?.locked === true;
  }

  private async runTasks(connection: Connection, failed: Set<string>): Promise<boolean> {
    const tasks = (await this.options.tasks(connection)).filter(({ name }) => !failed.has(name));
    let hasMore = tasks.length > TASKS_IN_A_BITE;
    for (const task of tasks.slice(0, TASKS_IN_A_BITE)) {
      if (this.stopped) return false;
      try {
        if (await task.run(connection)) hasMore = true;
      } catch (error) {
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
