import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { tryGuardLock, type Connection, type GuardLock } from './guard-lock.js';
import { endPostmaster, launchPostmaster, runningPostmaster, type Launched } from './postmaster.js';
import { openSocketDirectory } from './socket-directory.js';

/** A server that answers, and the claim on it. */
export interface Server {
  readonly pid: number;
  readonly guard: GuardLock;
}

const POLL_MS = 20;
/** How long a server may keep silent; one that says that it is replaying its log may take as long as it needs. */
const SILENCE_MS = 60_000;
/** A claim whose holder was just killed is free as soon as PostgreSQL has noticed. */
const TAKEN_MS = 1_000;
/** Other processes that start or end at the same moment get out of the way by then. */
const CONTENTION_MS = 15_000;

/** Messages of PostgreSQL while a server of the same directory is starting, ending, or being cleared away. */
const CONTENTION =
  /lock file "postmaster\.pid"|pre-existing shared memory block|lock file "[^"]*\.s\.PGSQL|could not create Unix socket/;

interface Acquisition {
  readonly cluster: Cluster;
  readonly connection: Connection;
  readonly parameters: Readonly<Record<string, string>>;
  readonly log: (message: string) => void;
  readonly cancelled: AbortSignal;
}

/**
 * Takes the server that runs on the cluster, or starts one, and claims it for this process.
 *
 * @throws EmbeddedPostgresError when another live process has it, or it neither starts nor answers
 */
export async function acquireServer(acquisition: Acquisition): Promise<Server> {
  const attempt: Attempt = { launched: undefined, answeredAt: Date.now(), begunAt: Date.now() };
  try {
    for (;;) {
      acquisition.cancelled.throwIfAborted();
      const server = await step(acquisition, attempt);
      if (server) return server;
      await sleep(POLL_MS);
    }
  } catch (error) {
    // one that another process has claimed meanwhile is theirs now
    if (attempt.launched && !attempt.launched.failure && !(error instanceof TakenError)) {
      await endPostmaster(acquisition.cluster, attempt.launched.pid, acquisition.log);
    }
    throw error;
  }
}

interface Attempt {
  launched: Launched | undefined;
  readonly begunAt: number;
  answeredAt: number;
  takenSince?: number;
}

class TakenError extends EmbeddedPostgresError {}

async function step(acquisition: Acquisition, attempt: Attempt): Promise<Server | undefined> {
  const { cluster, connection, parameters, log } = acquisition;
  if (attempt.launched?.failure) reviewFailure(attempt, attempt.launched.failure);
  const running = runningPostmaster(cluster);
  if (running) return claim(acquisition, attempt, running.pid);
  if (!attempt.launched) {
    openSocketDirectory(connection.host, cluster.owner);
    attempt.launched = launchPostmaster(cluster, connection.host, parameters, log);
  }
  if (Date.now() - attempt.answeredAt > SILENCE_MS) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not get ready on ${cluster.directory}: is its disk slow or full?`,
    );
  }
  return undefined;
}

/** Forgets a server that lost a race, so that the winner is found or another one started; else throws. */
function reviewFailure(attempt: Attempt, failure: Error): void {
  if (CONTENTION.test(failure.message) && Date.now() - attempt.begunAt < CONTENTION_MS) {
    attempt.launched = undefined;
    return;
  }
  if (failure instanceof EmbeddedPostgresError) throw failure;
  throw new EmbeddedPostgresError(`The embedded PostgreSQL does not start. ${failure.message}`);
}

async function claim(
  { cluster, connection }: Acquisition,
  attempt: Attempt,
  pid: number,
): Promise<Server | undefined> {
  const result = await tryGuardLock(connection);
  const now = Date.now();
  if (result.outcome === 'held') return { pid, guard: result.lock };
  if (result.outcome !== 'unreachable') attempt.answeredAt = now;
  if (result.outcome !== 'taken') {
    attempt.takenSince = undefined;
    if (now - attempt.answeredAt < SILENCE_MS) return undefined;
    throw new EmbeddedPostgresError(
      `A PostgreSQL (process ${pid}) runs on ${cluster.directory} but does not answer (${result.reason}): ` +
        `end it with kill -INT ${pid} and start again`,
    );
  }
  attempt.takenSince ??= now;
  if (now - attempt.takenSince < TAKEN_MS) return undefined;
  throw new TakenError(
    `Another running service uses ${cluster.directory}: stop that one, or choose another DATA_DIR ` +
      `(several services on one database want DATABASE_URL)`,
  );
}
