import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../bench/fleet/free-port.js';
import { clusterConnection } from '../harness/cluster.mjs';
import { until } from '../harness/until.js';

const PROGRAM = '/usr/sbin/pgbouncer';
/** Fewer than the service's connections, so that its transactions share them. */
export const SERVER_CONNECTIONS = 4;

interface Server {
  readonly host: string;
  readonly port: number;
}

/** A PgBouncer in transaction mode, for the run's PostgreSQL unless it gets another one. */
export class PgBouncer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly directory: string,
    readonly port: number,
    private readonly writeSettings: (server: Server) => void,
  ) {}

  static get isInstalled(): boolean {
    return existsSync(PROGRAM);
  }

  /** @param role that may connect without a password */
  static async start(role: string, first: Server = clusterConnection()): Promise<PgBouncer> {
    // Root can't run it, and only the owner can use the socket.
    const { uid, gid } = statSync(first.host);
    const directory = mkdtempSync(join(tmpdir(), 'acp-pgbouncer-'));
    chmodSync(directory, 0o755);
    const port = await freePort();
    const users = join(directory, 'users.txt');
    const settings = join(directory, 'pgbouncer.ini');
    writeFileSync(users, `"${role}" ""\n`);
    const writeSettings = (server: Server) =>
      writeFileSync(
        settings,
        `[databases]
* = host=${server.host} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
server_login_retry = 1
`,
      );
    writeSettings(first);
    for (const file of [directory, users, settings]) chownSync(file, uid, gid);
    const isRoot = process.geteuid?.() === 0;
    const child = spawn(PROGRAM, ['-q', settings], {
      ...(isRoot ? { uid, gid } : {}),
      cwd: '/',
      stdio: 'ignore',
    });
    const pooler = new PgBouncer(child, directory, port, writeSettings);
    await until(() => answers(pooler.url(role, 'postgres')));
    return pooler;
  }

  url(role: string, database: string): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`;
  }

  /** Leads to another server from now on, as RELOAD in its console does. */
  leadTo(server: Server): void {
    this.writeSettings(server);
    this.process.kill('SIGHUP');
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await ended;
    rmSync(this.directory, { recursive: true });
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
