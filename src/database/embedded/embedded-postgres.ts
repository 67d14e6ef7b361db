import { setTimeout as sleep } from 'node:timers/promises';
import { acquireServer, type Server } from './acquire-server.js';
import { prepareCluster, SUPERUSER } from './cluster.js';
import { reasonOf } from './embedded-postgres-error.js';
import type { Connection } from './guard-lock.js';
import { endPostmaster, interruptPostmaster, runningPostmaster } from './postmaster.js';
import { closeSocketDirectory, PORT, socketDirectoryOf } from './socket-directory.js';

/** A PostgreSQL of this process alone. */
export interface EmbeddedPostgres {
  /** Options for `pg` to connect: Unix socket only. They stay the same for as long as the process lives. */
  readonly connection: Connection;
  /** Ends PostgreSQL (fast shutdown: open transactions are rolled back) and waits until it has gone. Idempotent. */
  stop(): Promise<void>;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, which is made when it isn't there, or takes over the one that a killed
 * process has left running. From then on it is kept running: one that dies is started again, with pauses from 0.1
 * to 10 seconds between attempts.
 *
 * @param options.log gets PostgreSQL's own lines and this supervisor's
 * @param options.parameters further `-c name=value`; they don't reach a server that was taken over
 * @throws EmbeddedPostgresError saying what to do: another live process uses the directory, it is of another major
 *   version, it can't be reached or written, there are no programs for this machine, PostgreSQL won't start
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: (message: string) => void;
  parameters?: Readonly<Record<string, string>>;
}): Promise<EmbeddedPostgres> {
  const { dataDir, log, parameters = {} } = options;
  const cluster = await prepareCluster({ dataDir, sync: parameters.fsync !== 'off' });
  // a server that was taken over has chosen its directory when it started
  const host = runningPostmaster(cluster)?.socketDirectory ?? socketDirectoryOf(cluster);
  const connection = { host, port: PORT, user: SUPERUSER, database: 'postgres' };
  const stopping = new AbortController();
  const acquire = () => acquireServer({ cluster, connection, parameters, log, cancelled: stopping.signal });

  // only a name that is ours alone is ever removed
  const leaveSocketDirectory = () => {
    if (host === socketDirectoryOf(cluster)) closeSocketDirectory(host, cluster.owner);
  };

  let server: Server;
  try {
    server = await acquire();
  } catch (error) {
    leaveSocketDirectory();
    throw error;
  }
  let recovery: Promise<void> = watch(server);

  function watch(current: Server): Promise<void> {
    return current.guard.lost.then(() => recover());
  }

  async function recover(): Promise<void> {
    if (!stopping.signal.aborted) log('The connection to PostgreSQL is lost: looking after it');
    for (let pause = FIRST_RETRY_MS; !stopping.signal.aborted; pause = Math.min(2 * pause, LAST_RETRY_MS)) {
      try {
        server = await acquire();
        log('PostgreSQL is back');
        recovery = watch(server);
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        log(reasonOf(error));
        await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  // for a process that ends without stop(): nothing to wait for, but nothing is left behind either
  const interrupt = () => interruptPostmaster(cluster, server.pid);
  process.once('exit', interrupt);

  async function end(): Promise<void> {
    stopping.abort();
    let ended: Server;
    do {
      ended = server;
      await endPostmaster(cluster, ended.pid, log);
      await ended.guard.release();
      await recovery;
      // a recovery may have succeeded at the last moment, and left another server
    } while (server !== ended);
    leaveSocketDirectory();
    process.off('exit', interrupt);
  }

  let ended: Promise<void> | undefined;
  return { connection, stop: () => (ended ??= end()) };
}
