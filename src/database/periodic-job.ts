import type { Database } from './database.js';
import { rowsOf } from './sql.js';

export interface PeriodicJobOptions {
  /** Any constant of the job's own; the instance that holds it runs the job. */
  readonly lock: number;
  readonly intervalMs: number;
  /** One round. What must be atomic in it opens its own transaction. */
  readonly run: () => Promise<void>;
  /** The database is there for the first time, or again after it was away: told to every instance. */
  readonly onReconnect?: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Work that is due every so often on one instance at a time: whichever instance gets the advisory lock does this
 * round. The lock belongs to a connection, so it goes with its holder, however that one dies.
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
      this.round = this.runOnce()
        .then(() => undefined, this.options.onError)
        .finally(() => this.start());
    }, this.options.intervalMs);
    this.timer.unref();
  }

  /** Waits for the round under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  async runOnce(): Promise<boolean> {
    if (this.database.state !== 'ready') return false;
    const holder = this.database.requireDataSource().createQueryRunner();
    try {
      const [row] = await rowsOf<{ locked: boolean }>(
        holder.manager,
        'SELECT pg_try_advisory_lock($1) AS locked',
        [this.options.lock],
      );
      if (!row?.locked) return false;
      try {
        await this.options.run();
      } finally {
        await rowsOf(holder.manager, 'SELECT pg_advisory_unlock($1)', [this.options.lock]);
      }
      return true;
    } finally {
      await holder.release();
    }
  }
}
