import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import { hasCode } from './embedded-postgres-error.js';
import { cannotRun, OutputTail, spawnOptionsFor } from './run-to-end.js';
import { PORT } from './socket-directory.js';

/** Content of `postmaster.pid`: the server that runs on a cluster, or did when it was killed. */
export interface PostmasterFile {
  readonly pid: number;
  readonly socketDirectory: string;
}

/** A server process that was started here. */
export interface Launched {
  readonly pid: number;
  /** Set when it has ended, or could not be started. */
  failure?: Error;
}

/** A checkpoint of the default 128 MB of buffers takes a second or two; a minute means that something hangs. */
const FAST_SHUTDOWN_MS = 60_000;
const POLL_MS = 25;

/** @returns undefined when there is no such file, or one that is being written */
function readPostmasterFile(cluster: Cluster): PostmasterFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster.directory, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const [pid, , , , socketDirectory] = lines;
  return pid && socketDirectory ? { pid: Number(pid), socketDirectory } : undefined;
}

function commandLineOf(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(' ');
  } catch {
    return [];
  }
}

/**
 * Returns true if the process is a server of this very cluster. A number alone says nothing: after a crash of the machine,
 * and in a container at every start, it may be that of any other process. A zombie is none.
 */
function isPostmasterOf(cluster: Cluster, pid: number): boolean {
  return commandLineOf(pid).join(' ').includes(` -D ${cluster.directory} `);
}

/** @returns the server that runs on the cluster, whoever started it */
export function runningPostmaster(cluster: Cluster): PostmasterFile | undefined {
  const file = readPostmasterFile(cluster);
  return file && isPostmasterOf(cluster, file.pid) ? file : undefined;
}

/**
 * Starts a server and returns at once. It is in a session of its own, so that Ctrl-C in a terminal doesn't reach it
 * before the service has finished its requests, and it doesn't keep this process alive.
 */
export function launchPostmaster(
  cluster: Cluster,
  socketDirectory: string,
  parameters: Readonly<Record<string, string>>,
  log: (message: string) => void,
): Launched {
  const file = join(cluster.binaries.directory, 'bin', 'postgres');
  const settings = {
    port: String(PORT),
    listen_addresses: '',
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '',
    // an error of a statement goes to who sent it; here it would only put that person's data into the log
    log_min_messages: 'log',
    ...parameters,
  };
  const options = spawnOptionsFor(cluster.owner);
  const stale = readPostmasterFile(cluster);
  const child = spawn(
    file,
    [
      '-D',
      cluster.directory,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      ...options,
      // PostgreSQL takes a left-behind postmaster.pid for valid as long as any process has that number. This variable,
      // meant for pg_ctl, names one process that it shall not take for a server; its other interlocks stay.
      env: { ...options.env, ...(stale ? { PG_GRANDPARENT_PID: String(stale.pid) } : {}) },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const launched: Launched = { pid: child.pid ?? -1 };
  const tail = new OutputTail();
  child.once('error', (error) => (launched.failure = cannotRun(file, error)));
  // 'close', not 'exit': by then all of its output has been read
  child.once('close', (code, signal) => {
    launched.failure ??= new Error(
      `PostgreSQL ended (${signal ?? `exit code ${code}`}):\n${tail.toString()}`,
    );
  });
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      tail.push(line);
      log(line);
    });
    (child.stderr as Socket).unref();
  }
  child.unref();
  return launched;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Asks for a fast shutdown and doesn't wait: for the very end of this process. */
export function interruptPostmaster(cluster: Cluster, pid: number): void {
  if (isPostmasterOf(cluster, pid)) signal(pid, 'SIGINT');
}

/**
 * Ends the server: a fast shutdown, and when that takes over a minute an immediate one, after which the next start
 * replays the log. Returns when the process has gone.
 */
export async function endPostmaster(
  cluster: Cluster,
  pid: number,
  log: (message: string) => void,
): Promise<void> {
  interruptPostmaster(cluster, pid);
  const deadline = Date.now() + FAST_SHUTDOWN_MS;
  let urged = false;
  while (isPostmasterOf(cluster, pid)) {
    if (!urged && Date.now() > deadline) {
      log('PostgreSQL does not finish its shutdown: ending it at once');
      signal(pid, 'SIGQUIT');
      urged = true;
    }
    await sleep(POLL_MS);
  }
}
