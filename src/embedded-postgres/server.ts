import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cluster } from './cluster.js';
import { spawnOptionsFor } from './os-user.js';
import { PORT } from './socket-directory.js';

/** A server process that this process has started. */
export interface Server {
  /** Resolves when it accepts connections. Rejects with its last lines if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Requests a fast shutdown: open transactions are rolled back. */
  interrupt(): void;
}

/**
 * A shell script that becomes PostgreSQL, and leaves a process behind that waits for the end of a pipe which Node holds
 * open: however Node ends, the pipe ends too, and PostgreSQL is then interrupted. A line in the pipe means that
 * PostgreSQL has ended already, so that another process may have its number. Because of the second fork, that process
 * is no child of PostgreSQL.
 */
const ENDS_WITH_NODE = '({ read -r ended || kill -INT $$; } <&3 >/dev/null 2>&1 &); exec "$@" 3<&-';

const READY = 'database system is ready to accept connections';
const KEPT_LINES = 20;

/** Lines of `postmaster.pid`: https://www.postgresql.org/docs/current/storage-file-layout.html */
export function postmasterFile({ directory }: Cluster): { pid?: string; isStopping: boolean } {
  try {
    const lines = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: lines[0], isStopping: lines[7]?.trim() === 'stopping' };
  } catch {
    // No server has run, or the last one ended in order.
    return { isStopping: false };
  }
}

function commandLineOf(pid: string): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-ww', '-o', 'args=', '-p', pid], { encoding: 'utf8' });
  } catch {
    // There is no such process.
    return '';
  }
}

/**
 * PostgreSQL takes a left-over `postmaster.pid` as valid as long as any process of its user has that number: after a
 * crash of the machine, and in a container at every start, any process may have it. This variable, meant for `pg_ctl`,
 * names one process that PostgreSQL does not take for a server. Its other checks still apply.
 */
function leftBehindPid(cluster: Cluster): { PG_GRANDPARENT_PID?: string } {
  const { pid } = postmasterFile(cluster);
  if (!pid || commandLineOf(pid).includes(` -D ${cluster.directory} `)) return {};
  return { PG_GRANDPARENT_PID: pid };
}

/**
 * Starts a server and returns at once. It has a separate session, so that Ctrl-C in a terminal doesn't reach it before
 * the service has finished its requests. Once ready, it doesn't keep this process alive.
 */
export function launchServer(
  cluster: Cluster,
  socketDirectory: string,
  parameters: Readonly<Record<string, string>>,
  log: (message: string) => void,
): Server {
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
    // The sender of a statement gets its error. In the log it would only repeat that person's data.
    log_min_messages: 'log',
    ...parameters,
  };
  const { env, ...options } = spawnOptionsFor(cluster.owner);
  const program = [join(cluster.binaries.directory, 'bin', 'postgres'), '-D', cluster.directory];
  const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', ENDS_WITH_NODE, 'sh', ...program, ...assignments], {
    ...options,
    env: { ...env, ...leftBehindPid(cluster) },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const output = child.stderr as Socket;
  const pipe = child.stdio[3] as Socket;
  pipe.on('error', () => undefined);
  const handles = [child, output, pipe];

  const lastLines: string[] = [];
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  createInterface({ input: output }).on('line', (line) => {
    lastLines.push(line);
    if (lastLines.length > KEPT_LINES) lastLines.shift();
    log(line);
    if (!line.endsWith(READY)) return;
    handles.forEach((handle) => handle.unref());
    ready.resolve();
  });
  child.once('exit', () => pipe.end('ended\n'));
  child.once('error', (error) => lastLines.push(error.message));
  // 'close', not 'exit': by then all of its output has been read.
  child.once('close', (code, signal) => {
    ready.reject(new Error(`PostgreSQL ended (${signal ?? `exit code ${code}`}):\n${lastLines.join('\n')}`));
    ended.resolve();
  });
  return {
    ready: ready.promise,
    ended: ended.promise,
    interrupt: () => {
      // The caller of the end waits for it.
      handles.forEach((handle) => handle.ref());
      child.kill('SIGINT');
    },
  };
}
