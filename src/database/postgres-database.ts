import { setTimeout as delay } from 'node:timers/promises';
import {
  POOL_NAMES,
  type PoolName,
  poolSizes,
  STATEMENT_WORK_MS,
  waitingTransactions,
} from '../budget/pool-sizes.js';
import { ConnectionPool } from './connection-pool.js';
import {
  clientOptions,
  type DatabaseTarget,
  type DataSourceSettings,
  poolerOptions,
} from './data-source-options.js';
import type { DatabaseProbe, DatabaseState } from './database.js';
import { Listener } from './listener.js';
import { API_LISTENER, JOBS_LISTENER } from './listening-instances.js';
import { migrate } from './migrate.js';
import { ProbedConnection } from './probed-connection.js';
import { TelemetryDatabase } from './telemetry-database.js';
import {
  failureToOpen,
  requirePoolerLimits,
  UnusableDatabaseError,
  type UrlSetting,
} from './usable-database.js';

export interface DatabaseOptions extends Pick<DataSourceSettings, 'entities' | 'migrations'> {
  /** Number of connections of all pools together; at least 4. */
  readonly poolSize: number;
  /** Statement timeout of searches, counts and deep pages. */
  readonly searchTimeoutMs: number;
  /** Lock timeout of all statements. */
  readonly lockTimeoutMs: number;
  /** Slots of each kind of requests. */
  readonly requestsInFlight: number;
  /** True if agents can call this instance; others see that by the name of the connection that listens. */
  readonly servesApi: boolean;
  /** True for the database of telemetry alone: while it is away, its statements fail at once, so that they hold no slots of requests. */
  readonly isApart?: boolean;
  /** Finds the server, and starts it if it is the embedded one. Called again after each failure. */
  readonly locate: () => Promise<DatabaseTarget>;
  readonly log: (message: string) => void;
}

const RETRY_DELAY_MS = 500;

/** The locks of periodic jobs belong to a session, which no pooler has. */
const goesThroughPooler = (pool: PoolName) => pool !== 'background';

/**
 * The connections to PostgreSQL, opened in the background: the service listens before its database is up, and recovers
 * by itself after an outage. Migrates before its state is `ready`.
 */
export class PostgresDatabase extends TelemetryDatabase {
  readonly isApart: boolean;
  readonly listener: Listener;
  readonly runtimes: ConnectionPool;
  readonly people: ConnectionPool;
  readonly searches: ConnectionPool;
  readonly background: ConnectionPool;
  /** Set where the pools of requests go through a pooler, which can be away while the server is not. */
  private pooler: ProbedConnection | undefined;
  wasOpened = false;
  /** The reason why the database can't be used; it is not tried again. */
  refusal: UnusableDatabaseError | undefined;
  private readonly stopped = new AbortController();
  private lastProblem = '';
  private opening: Promise<void> | undefined;

  constructor(private readonly options: DatabaseOptions) {
    super();
    this.isApart = options.isApart ?? false;
    const sizes = poolSizes(options.poolSize);
    const waiting = waitingTransactions(options.requestsInFlight);
    const pool = (name: PoolName) =>
      new ConnectionPool(
        name,
        sizes[name],
        options.lockTimeoutMs,
        waiting,
        () => this.isApart && this.isAway(name),
      );
    this.runtimes = pool('runtimes');
    this.people = pool('people');
    this.searches = pool('searches');
    this.background = pool('background');
    this.listener = new Listener(options.log, { tellsTime: !this.isApart });
  }

  get state(): DatabaseState {
    if (!this.wasOpened) return this.lastProblem === '' ? 'initializing' : 'unavailable';
    return POOL_NAMES.every((name) => this.probed(name).isConnected()) ? 'ready' : 'unavailable';
  }

  isAway(pool: PoolName): boolean {
    return this.probed(pool).isAway;
  }

  async probe(): Promise<DatabaseProbe> {
    const { state } = this;
    if (state === 'initializing') return { state, silent: POOL_NAMES };
    const answers = await Promise.all(POOL_NAMES.map((name) => this.answers(name)));
    const silent = POOL_NAMES.filter((_, index) => !answers[index]);
    return { state: silent.length === 0 ? 'ready' : 'unavailable', silent };
  }

  /** Begins to open the database, and returns at once. */
  open(): void {
    this.opening ??= this.openUntilItSucceeds();
  }

  async whenOpen(): Promise<void> {
    await this.opening;
  }

  async close(): Promise<void> {
    this.stopped.abort();
    await this.opening;
    this.wasOpened = false;
    await Promise.all([
      this.listener.stop(),
      this.pooler?.stop(),
      ...POOL_NAMES.map((name) => this[name].close()),
    ]);
  }

  /** The server and the pool itself are asked: a pool's connections can be lost while the server answers others. */
  private async answers(pool: PoolName): Promise<boolean> {
    const answers = await Promise.all([this.probed(pool).answers(), this[pool].answers()]);
    return answers.every(Boolean);
  }

  /** The connection that shows whether a pool's would get an answer: to the pooler, or to the server itself. */
  private probed(pool: PoolName): ProbedConnection {
    return (goesThroughPooler(pool) && this.pooler) || this.listener;
  }

  private async openUntilItSucceeds(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      try {
        await this.openOnce();
        return;
      } catch (error) {
        await Promise.all(POOL_NAMES.map((name) => this[name].close()));
        if (error instanceof UnusableDatabaseError) {
          this.refusal = error;
          if (this.isApart) this.report(error);
          return;
        }
        this.report(error);
        await delay(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async openOnce(): Promise<void> {
    const { entities, migrations, searchTimeoutMs, lockTimeoutMs } = this.options;
    const target = await this.options.locate();
    await migrate({ target, entities, migrations, setting: this.setting }, this.stopped.signal);
    const pooler = 'url' in target && target.directUrl !== undefined ? target.url : undefined;
    await Promise.all(
      POOL_NAMES.map((name) =>
        this[name].open(target, {
          entities,
          viaPooler: pooler !== undefined && goesThroughPooler(name),
          // Half of a search's time may go into waiting for a lock, which is not the search's own fault.
          ...(name === 'searches'
            ? {
                statementTimeoutMs: searchTimeoutMs,
                lockTimeoutMs: Math.min(lockTimeoutMs, searchTimeoutMs / 2),
              }
            : { statementTimeoutMs: STATEMENT_WORK_MS[name] + lockTimeoutMs, lockTimeoutMs }),
        }),
      ),
    );
    if (pooler !== undefined) {
      await requirePoolerLimits(this.people.manager);
      this.pooler = new ProbedConnection(() => this.options.log('The connection to the pooler was lost'));
      await this.pooler.start(poolerOptions(pooler));
    }
    const name = this.options.servesApi ? API_LISTENER : JOBS_LISTENER;
    this.wasOpened = true;
    // Until its first attempt, the state is that of a database that is away.
    await this.listener.start({ ...clientOptions(target), application_name: name });
  }

  /** The setting with its address. */
  private get setting(): UrlSetting {
    return this.isApart ? 'TELEMETRY_DATABASE_URL' : 'DATABASE_URL';
  }

  private report(error: unknown): void {
    const problem = failureToOpen(error, this.setting);
    const name = this.isApart ? 'telemetry database' : 'database';
    if (problem !== this.lastProblem) this.options.log(`The ${name} can't be opened yet: ${problem}`);
    this.lastProblem = problem;
  }
}
