import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js';
import { prepareCluster, SUPERUSER } from '../../src/embedded-postgres/cluster.js';
import { PORT, socketDirectoryOf } from '../../src/embedded-postgres/socket-directory.js';
import type { TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { Stage } from './embedded-postgres-stage.js';

type Connection = EmbeddedPostgres['connection'];

/** A server, and its address, which stays the same. */
interface Server {
  readonly stage: Stage;
  readonly connection: Connection;
}

/** Copies the files of a server that runs, as `pg_basebackup` does, which the embedded PostgreSQL lacks. */
const COPY =
  'tar -C "$0" --exclude="./pg_wal/*" --exclude="./postmaster.*" -cf - . 2>/dev/null | tar -C "$1" -xpf -';

/** Two PostgreSQL servers, a primary and a standby with streaming replication, which change places. */
export class ReplicatedPostgres {
  /** Resolves when the standby has been promoted. */
  private promoted: Promise<unknown> | undefined;

  private constructor(
    private first: Server,
    private second: Server,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const [one, other] = [new Stage(), new Stage()];
    const { connection } = await one.start();
    await copy(one, other, connection);
    const servers = [one, other].map(async (stage) => {
      const cluster = await prepareCluster({ dataDir: stage.dataDir, sync: false });
      const host = socketDirectoryOf(cluster);
      return { stage, connection: { host, port: PORT, user: SUPERUSER, database: 'postgres' } };
    });
    const [first, second] = await Promise.all(servers);
    const pair = new ReplicatedPostgres(first!, second!);
    await pair.follow();
    return pair;
  }

  get primary(): Connection {
    return this.first.connection;
  }

  /** The server that is not the primary. */
  get other(): Connection {
    return this.second.connection;
  }

  /** The address of both, in an order that stays. */
  get url(): string {
    const hosts = [this.primary, this.other].map(({ host }) => encodeURIComponent(host)).sort();
    return `postgres://${SUPERUSER}@${hosts.join()}/postgres?target_session_attrs=read-write`;
  }

  /** The primary, whichever it is, for a test that looks into the data. */
  get database(): TestDatabase {
    return {
      target: this.primary,
      query: (statement, parameters) => rowsOf(this.primary, statement, parameters),
      drop: () => Promise.resolve(),
    };
  }

  /** Makes a standby of the server that is not the primary, from a new copy of the primary. */
  async addStandby(): Promise<void> {
    await copy(this.first.stage, this.second.stage, this.primary);
    await this.follow();
  }

  /** Waits until the standby has everything that was written so far. */
  async untilReplayed(): Promise<void> {
    const [written] = await rowsOf<{ at: string }>(this.primary, 'SELECT pg_current_wal_lsn() AS at');
    const replayed = `SELECT pg_last_wal_replay_lsn() >= '${written!.at}' AS done`;
    await until(async () => (await rowsOf<{ done: boolean }>(this.other, replayed))[0]!.done);
  }

  /** Commits wait for the standby from now on. */
  async makeSynchronous(): Promise<void> {
    await rowsOf(this.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await rowsOf(this.primary, 'SELECT pg_reload_conf()');
    const state = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
    await until(async () => (await rowsOf(this.primary, state)).length === 1);
  }

  /** The standby receives nothing more. */
  async cut(): Promise<void> {
    await rowsOf(this.other, "ALTER SYSTEM SET primary_conninfo = ''");
    await rowsOf(this.other, 'SELECT pg_reload_conf()');
    await until(async () => (await rowsOf(this.primary, 'SELECT FROM pg_stat_replication')).length === 0);
  }

  /** Kills the primary with all its processes. */
  crash(): Promise<void> {
    return this.first.stage.crash();
  }

  /** Makes the standby the primary. */
  async promote(): Promise<void> {
    await rowsOf(this.other, 'SELECT pg_promote()');
    await this.promoted;
    [this.first, this.second] = [this.second, this.first];
  }

  /** Starts the former primary as it was: it takes writes. */
  async bringBack(): Promise<void> {
    await this.second.stage.start();
  }

  /** Kills the server that is not the primary. */
  crashOther(): Promise<void> {
    return this.second.stage.crash();
  }

  async clear(): Promise<void> {
    await Promise.all([this.first, this.second].map(({ stage }) => stage.clear()));
  }

  private async follow(): Promise<void> {
    // A standby counts as started when it takes writes.
    this.promoted = this.second.stage.start();
    this.promoted.catch(() => undefined);
    const streams = "SELECT FROM pg_stat_replication WHERE state = 'streaming'";
    await until(async () => (await rowsOf(this.primary, streams)).length === 1);
  }
}

/** Makes the files of a standby. */
async function copy(from: Stage, to: Stage, connection: Connection): Promise<void> {
  rmSync(to.cluster, { recursive: true, force: true });
  mkdirSync(to.dataDir, { recursive: true });
  mkdirSync(to.cluster, { mode: 0o700 });
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', fast => true)");
    const source = realpathSync(from.cluster);
    execFileSync('/bin/sh', ['-c', COPY, source, to.cluster]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    const conninfo = `primary_conninfo = 'host=${connection.host} port=${connection.port} user=${connection.user}'\n`;
    const { uid, gid } = statSync(source);
    chownSync(to.cluster, uid, gid);
    const files = {
      backup_label: rows[0]!.labelfile,
      'standby.signal': '',
      'postgresql.auto.conf': conninfo,
    };
    for (const [name, text] of Object.entries(files)) {
      const path = join(to.cluster, name);
      writeFileSync(path, text);
      chownSync(path, uid, gid);
    }
  } finally {
    await client.end();
  }
}

async function rowsOf<Row extends pg.QueryResultRow>(
  connection: Connection,
  statement: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ ...connection });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(statement, parameters)).rows;
  } finally {
    await client.end();
  }
}
