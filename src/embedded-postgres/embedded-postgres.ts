import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, prepareCluster, SUPERUSER } from './cluster.js';
import { reasonOf } from './os-user.js';
import { launchServer, postmasterFile, type Server } from './server.js';
import { closeSocketDirectory, openSocketDirectory, PORT, socketDirectoryOf } from './socket-directory.js';

/** A PostgreSQL that belongs to this process. */
export type EmbeddedPostgres = Pick<Supervisor, 'connection' | 'stop'>;

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** Time within which the server of a process that was just killed gets the signal to end. */
const PATIENCE_MS = 3_000;

/** Messages of PostgreSQL while another server of the same directory is starting, running or ending. */
const CONTENTION =
  /lock file "postmaster\.pid"|pre-existing shared memory block|lock file "[^"]*\.s\.PGSQL|could not create Unix socket/;

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, which is created if it does not exist. It is kept running: after a crash
 * it is started again, with pauses from 0.1 to 10 seconds between attempts. It ends with this process, however that
 * ends.
 *
 * @param options.log gets PostgreSQL's own lines and those of this supervisor
 * @param options.parameters further `-c name=value`
 * @throws Error saying what to do: another live process uses the directory, it is of another major version, it can't be
 * reached or written, there are no programs for this machine, PostgreSQL does not start
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: (message: string) => void;
  parameters?: Readonly<Record<string, string>>;
}): Promise<EmbeddedPostgres> {
  const { dataDir, log, parameters = {} } = options;
  const cluster = await prepareCluster({ dataDir, sync: parameters.fsync !== 'off' });
  const supervisor = new Supervisor(cluster, parameters, log);
  await supervisor.start();
  return supervisor;
}

/** Starts the server of a cluster, and restarts it after a crash. */
class Supervisor {
  /** Options of `pg` for a connection: Unix socket only. They never change during the process. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  private server: Server | undefined;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private ended: Promise<void> | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly parameters: Readonly<Record<string, string>>,
    private readonly log: (message: string) => void,
  ) {
    const host = socketDirectoryOf(cluster);
    this.connection = { host, port: PORT, user: SUPERUSER, database: 'postgres' };
  }

  /** @throws Error if the server does not start, or another process has started one */
  async start(): Promise<void> {
    try {
      for (const begunAt = performance.now(); !(await this.tryToStart(begunAt));) await sleep(FIRST_RETRY_MS);
    } catch (error) {
      closeSocketDirectory(this.connection.host, this.cluster.owner);
      throw error;
    }
    this.running = this.keepRunning();
  }

  /** Ends PostgreSQL (fast shutdown: open transactions are rolled back) and waits for its end. Idempotent. */
  stop(): Promise<void> {
    return (this.ended ??= this.end());
  }

  private async end(): Promise<void> {
    this.stopping.abort();
    this.server?.interrupt();
    await this.running;
    closeSocketDirectory(this.connection.host, this.cluster.owner);
  }

  private async launch(): Promise<void> {
    const { cluster, connection, parameters, log } = this;
    openSocketDirectory(connection.host, cluster.owner);
    this.server = launchServer(cluster, connection.host, parameters, log);
    await this.server.ready;
  }

  /** @returns false if another server of the cluster is ending, or may get the signal to end within a moment */
  private async tryToStart(begunAt: number): Promise<boolean> {
    try {
      await this.launch();
      return true;
    } catch (error) {
      const { message } = error as Error;
      if (!CONTENTION.test(message))
        throw new Error(`The embedded PostgreSQL does not start. ${message}`, { cause: error });
      const { pid, isStopping } = postmasterFile(this.cluster);
      if (isStopping || performance.now() - begunAt < PATIENCE_MS) return false;
      throw new Error(
        `Another running service uses ${this.cluster.directory} (PostgreSQL's process is ${pid}): stop that one, or ` +
          `choose another DATA_DIR (several services on one database want DATABASE_URL)`,
        { cause: error },
      );
    }
  }

  private async keepRunning(): Promise<void> {
    const { signal } = this.stopping;
    let pause = FIRST_RETRY_MS;
    for (;;) {
      await this.server?.ended;
      if (signal.aborted) return;
      this.log('PostgreSQL has ended: it is started again');
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.launch();
        this.log('PostgreSQL is back');
        pause = FIRST_RETRY_MS;
      } catch (error) {
        this.log(reasonOf(error));
        pause = Math.min(2 * pause, LAST_RETRY_MS);
      }
    }
  }
}
