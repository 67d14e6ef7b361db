import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.js';
import type { TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';

/** Report of a separate process on its start. */
export interface Report {
  readonly connection?: EmbeddedPostgres['connection'];
  readonly error?: string;
}

export const isRoot = process.geteuid?.() === 0;

/** A data directory with the servers that tests start there. */
export class Stage {
  readonly base = mkdtempSync(join(tmpdir(), 'acp-test-'));
  readonly dataDir = join(this.base, 'data');
  readonly cluster = join(this.dataDir, 'postgres');
  private readonly started: EmbeddedPostgres[] = [];
  private readonly children: ChildProcess[] = [];
  private readonly sockets = new Set<string>();

  constructor() {
    // for root, PostgreSQL runs as another user, who has to enter
    chmodSync(this.base, 0o711);
  }

  async start(parameters: Record<string, string> = {}): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({
      dataDir: this.dataDir,
      log: () => undefined,
      parameters: { fsync: 'off', ...parameters },
    });
    this.started.push(postgres);
    this.sockets.add(postgres.connection.host);
    return postgres;
  }

  /** Starts a server in a separate process, which is the leader of its process group. */
  async startElsewhere(user: { uid?: number; gid?: number } = {}) {
    const script = join(import.meta.dirname, 'start-embedded-postgres.mjs');
    const child = spawn(process.execPath, [script, this.dataDir], {
      ...user,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH },
    });
    this.endAfterwards(child);
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const report = JSON.parse(line) as Report;
    if (report.connection) this.sockets.add(report.connection.host);
    return { child, report };
  }

  endAfterwards(child: ChildProcess): void {
    this.children.push(child);
  }

  pid(): number | undefined {
    return postmasterPid(this.cluster);
  }

  runningPid(): number {
    const pid = this.pid();
    if (!pid) throw new Error('PostgreSQL does not run');
    return pid;
  }

  /** Stops or continues the server with all its processes, like a machine that hangs. */
  signalAll(signal: NodeJS.Signals): void {
    const postmaster = this.runningPid();
    // The postmaster is first, because it starts the others.
    process.kill(postmaster, signal);
    for (const pid of childrenOf(postmaster)) send(pid, signal);
  }

  /** Kills the server with all its processes, like a machine without power. It is not started again by itself. */
  async crash(): Promise<void> {
    const postmaster = this.runningPid();
    // This process starts no other one from here on, and those that it has started are still its
    // children.
    process.kill(postmaster, 'SIGSTOP');
    for (const pid of [...childrenOf(postmaster), postmaster]) send(pid, 'SIGKILL');
    await this.stopAll();
  }

  /** The last started server, for tests that hold locks in it and look for waiting sessions. */
  get database(): Pick<TestDatabase, 'target' | 'query'> {
    const server = this.started.at(-1);
    if (!server) throw new Error('No server was started');
    return {
      target: server.connection,
      query: (statement, parameters) => rowsOf(server, statement, parameters),
    };
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.started.map((it) => it.stop()));
  }

  /** Ends all servers; stored data stays. */
  async end(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await this.stopAll();
    const pid = this.pid();
    if (pid && alive(pid)) {
      process.kill(pid, 'SIGQUIT');
      await until(() => !alive(pid));
    }
  }

  async clear(): Promise<void> {
    await this.end();
    for (const path of [this.base, ...this.sockets]) rmSync(path, { recursive: true, force: true });
  }
}

/** The first row of a statement's result. */
export async function query<Row extends pg.QueryResultRow>(server: Report, sql: string): Promise<Row> {
  return (await rowsOf<Row>(server, sql))[0] as Row;
}

async function rowsOf<Row extends pg.QueryResultRow>(
  server: Report,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ ...server.connection });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

/** The process in `postmaster.pid`, which may have ended; undefined without the file. */
export function postmasterPid(cluster: string): number | undefined {
  try {
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]) || undefined;
  } catch (error) {
    // An ending server removes the file at any moment, and a DATA_DIR may be a file.
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function childrenOf(postmaster: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === postmaster)
    .map(Number);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // A session may end between the list and its signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** Returns true for a running process. A zombie has ended, and its parent has not collected it yet. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
