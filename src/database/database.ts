import { DataSource, type EntityManager } from 'typeorm';
import {
  clientOptions,
  dataSourceOptions,
  type DatabaseTarget,
  type DataSourceSettings,
} from './data-source-options.js';
import { Listener } from './listener.js';
import { migrate } from './migrate.js';

/** `initializing`: never connected yet. `unavailable`: was connected, is away now. */
export type DatabaseState = 'initializing' | 'ready' | 'unavailable';

/** Thrown where a statement is asked for before the first connection; answered with 503. */
export class DatabaseNotReadyError extends Error {
  readonly code = 'ECONNREFUSED';
}

export interface DatabaseOptions extends Omit<DataSourceSettings, 'target'> {
  /** Finds the server, and starts it where it is the embedded one. Called again after each failure. */
  readonly locate: () => Promise<DatabaseTarget>;
  readonly log: (message: string) => void;
}

const RETRY_DELAY_MS = 500;

/**
 * The connection to PostgreSQL, made in the background: the service listens before its database is there, and
 * recovers by itself when it comes back. Migrates before it calls itself ready.
 */
export class Database {
  readonly listener: Listener;
  private dataSource: DataSource | undefined;
  private stopped = false;
  private lastProblem = '';
  private opening: Promise<void> | undefined;

  constructor(private readonly options: DatabaseOptions) {
    this.listener = new Listener(options.log);
  }

  get state(): DatabaseState {
    if (!this.dataSource) return 'initializing';
    return this.listener.isConnected() ? 'ready' : 'unavailable';
  }

  /** The pool, outside any transaction. @throws DatabaseNotReadyError before the first connection */
  get manager(): EntityManager {
    return this.requireDataSource().manager;
  }

  /** For libraries that bring their own statements. @throws DatabaseNotReadyError before the first connection */
  requireDataSource(): DataSource {
    if (!this.dataSource) throw new DatabaseNotReadyError('The database is not ready yet');
    return this.dataSource;
  }

  /** Returns at once; {@link whenOpen} tells when the first connection stands. */
  open(): void {
    this.opening ??= this.openUntilItSucceeds();
  }

  /** Resolves when the schema is migrated and statements can run. */
  async whenOpen(): Promise<void> {
    await this.opening;
  }

  async close(): Promise<void> {
    this.stopped = true;
    await this.opening;
    await this.listener.stop();
    const dataSource = this.dataSource;
    this.dataSource = undefined;
    await dataSource?.destroy();
  }

  private async openUntilItSucceeds(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.openOnce();
        return;
      } catch (error) {
        this.report(error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      }
    }
  }

  private async openOnce(): Promise<void> {
    const target = await this.options.locate();
    const settings = { ...this.options, target };
    await migrate(settings);
    const dataSource = await new DataSource(dataSourceOptions(settings)).initialize();
    this.listener.start(clientOptions(target));
    this.dataSource = dataSource;
  }

  private report(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem !== this.lastProblem) this.options.log(`The database can't be opened yet: ${problem}`);
    this.lastProblem = problem;
  }
}
