import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** One task of a round. One that fails is logged and left to the next round, and the others are done all the same. */
export interface JobTask {
  /** As the log calls it; no other task of the round has it. */
  readonly name: string;
  /**
   * A bite of it: a few statements on the round's connection, within a second or so.
   *
   * @returns true where there is more to do: it is asked again after the round's other tasks
   */
  readonly run: (connection: Connection) => Promise<boolean | void>;
}

/** Tasks before other jobs get the connection. */
const TASKS_IN_A_BITE = 200;
/** Rows in one statement, so that none holds its locks for long. */
const ROWS_IN_A_BITE = 5_000;

/**
 * A task that deletes rows in bites.
 *
 * @param remove deletes at most `limit` rows, and returns how many
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
  /** Any constant of the job's own; the instance that holds it runs the job. */
  readonly lock: number;
  readonly intervalMs: number;
  /** The tasks that are due now. */
  readonly tasks: (connection: Connection) => Promise<readonly JobTask[]> | readonly JobTask[];
  /** The database is there for the first time, or again after it was away: told to every instance. */
  readonly onReconnect?: () => void;
  /** @param task absent: the round itself failed */
  readonly onError: (error: unknown, task?: string) => void;
}

/** How long the end of the service waits for the bite under way; milliseconds. Its connection is cut after that. */
const STOP_PATIENCE_MS = 1_000;

/**
 * Work that is due every so often on one instance at a time: whichever instance gets the advisory lock does this
 * round. The lock belongs to a connection, so it goes with its holder, however that one dies; and it is the one
 * connection that a round uses, given back between bites, so that jobs can share a pool of one. SQL
 * by hand: TypeORM knows no advisory locks.
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

  /** A round after the one under way, if there is one. What fails is told to `onError`. */
  runSoon(): void {
    this.round = this.round
      .then(() => this.runOnce())
      .then(
        () => undefined,
        (error: unknown) => this.report(error),
      );
  }

  /** Waits for the bite under way, for a second at most. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const patience = new AbortController();
    const late = delay(STOP_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([this.round, late]);
    patience.abort();
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  async runOnce(): Promise<boolean> {
    if (this.database.state !== 'ready') return false;
    const failed = new Set<string>();
    let outcome = await this.bite(failed);
    while (outcome === 'more' && !this.stopped) outcome = await this.bite(failed);
    return outcome !== 'elsewhere';
  }

  /** @param failed names of the round's tasks that have failed: repeating them would keep the round from its end */
  private bite(failed: Set<string>): Promise<'elsewhere' | 'more' | 'done'> {
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
    // The end of the service cuts off what is under way: that is no failure.
    if (!this.stopped) this.options.onError(error, task);
  }
}
