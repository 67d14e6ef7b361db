import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import { until } from '../harness/until.js';
import { alive, isRoot, query, Stage } from './embedded-postgres-stage.js';

/** Up to three starts of PostgreSQL in a test; a busy machine takes ten seconds for the first one of a cluster. */
jest.setTimeout(90_000);

/** Stage of all tests that leave the cluster intact. The first of them creates it. */
let usual: Stage;
let stage: Stage;
beforeAll(() => {
  usual = new Stage();
});
afterEach(() => (stage === usual ? stage.end() : stage.clear()));
afterAll(() => usual.clear());

describe('The embedded PostgreSQL', () => {
  it('uses UTF-8 and UTC, listens at a socket that only its user can reach, and leaves nothing but its data when it stops', async () => {
    stage = usual;
    const first = await stage.start();
    const settings = await query(
      first,
      `select current_setting('server_encoding') as encoding, current_setting('timezone') as timezone,
              current_setting('listen_addresses') as addresses, datlocale as locale
         from pg_database where datname = current_database()`,
    );
    expect(settings).toEqual({ encoding: 'UTF8', timezone: 'UTC', addresses: '', locale: 'C.UTF-8' });
    const socket = statSync(first.connection.host);
    expect(socket.mode & 0o777).toBe(0o700);
    expect(socket.uid).toBe(statSync(stage.cluster).uid);
    expect(statSync(stage.dataDir).mode & 0o777).toBe(0o711);

    await query(first, 'create table kept as select 42 as answer');
    const pid = stage.runningPid();
    await Promise.all([first.stop(), first.stop()]);
    await until(() => !alive(pid));
    expect(existsSync(first.connection.host)).toBe(false);

    const second = await stage.start();
    expect(second.connection).toEqual(first.connection);
    expect(await query(second, 'select answer from kept')).toEqual({ answer: 42 });
  });

  it('ends with its process, and keeps no process alive', async () => {
    stage = usual;
    const { child } = await stage.startElsewhere();
    const pid = stage.runningPid();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await until(() => !alive(pid));
  });
});

describe('A data directory that several processes use', () => {
  it('is served by the next start after its process was killed, whose PostgreSQL is ended first', async () => {
    stage = usual;
    const { child, report } = await stage.startElsewhere();
    const pid = stage.runningPid();
    await query(report, 'create table taken as select 42 as answer');
    // Kills the whole process group, like a terminal; PostgreSQL must not belong to it.
    process.kill(-(child.pid as number), 'SIGKILL');

    const postgres = await stage.start();
    expect(alive(pid)).toBe(false);
    expect(await query(postgres, 'select answer from taken')).toEqual({ answer: 42 });
    await postgres.stop();
    expect(existsSync(postgres.connection.host)).toBe(false);
  });

  it('belongs to exactly one of two processes that start at the same time', async () => {
    stage = new Stage();
    const both = await Promise.all([stage.startElsewhere(), stage.startElsewhere()]);
    const [winner, ...others] = both.filter(({ report }) => report.connection);
    expect(others).toEqual([]);
    expect(both.find((it) => it !== winner)?.report.error).toContain('Another running service uses');
    expect(await query(winner?.report ?? {}, 'select 1 as one')).toEqual({ one: 1 });
    expect(readdirSync(stage.dataDir)).toEqual(['postgres']);
  });
});

describe('A PostgreSQL that dies', () => {
  it('restarts its own processes when one of them dies, and is started again at the same address when its main process dies', async () => {
    stage = usual;
    const postgres = await stage.start();
    const pid = stage.runningPid();
    const { pid: writer } = await query<{ pid: number }>(
      postgres,
      `select pid from pg_stat_activity where backend_type = 'walwriter'`,
    );
    process.kill(writer, 'SIGKILL');
    await until(
      async () => !alive(writer) && (await query(postgres, 'select 1 as one').catch(() => undefined)),
    );
    expect(stage.runningPid()).toBe(pid);

    process.kill(pid, 'SIGKILL');
    await until(
      async () => stage.pid() !== pid && (await query(postgres, 'select 1 as one').catch(() => undefined)),
    );
    const second = stage.runningPid();
    const { report } = await stage.startElsewhere();
    expect(report.error).toMatch(
      /^Another running service uses .*: stop that one, or choose another DATA_DIR/,
    );
    expect(stage.runningPid()).toBe(second);
    expect(await query(postgres, 'select 1 as one')).toEqual({ one: 1 });
    await postgres.stop();
    await until(() => !alive(second));
  });

  it('stays down if it dies while it is being stopped', async () => {
    stage = usual;
    const postgres = await stage.start();
    process.kill(stage.runningPid(), 'SIGKILL');
    await postgres.stop();
    const pid = stage.pid();
    await until(() => pid === undefined || !alive(pid));
  });
});

describe('The error of a start that fails', () => {
  it('names the directory and both versions if the data is of another major version', async () => {
    const { uid, gid } = statSync(usual.cluster);
    stage = new Stage();
    mkdirSync(stage.cluster, { recursive: true });
    writeFileSync(join(stage.cluster, 'PG_VERSION'), '15\n');
    chownSync(stage.cluster, uid, gid);
    await expect(stage.start()).rejects.toThrow(
      /was made by PostgreSQL 15, this is PostgreSQL 18: carry the data over/,
    );
  });

  it('names the directory if it has no database', async () => {
    stage = new Stage();
    mkdirSync(stage.cluster, { recursive: true });
    writeFileSync(join(stage.cluster, 'notes.txt'), '');
    await expect(stage.start()).rejects.toThrow(/holds something else than a PostgreSQL cluster/);
  });

  it('names DATA_DIR if it is a file', async () => {
    stage = new Stage();
    writeFileSync(stage.dataDir, '');
    await expect(stage.start()).rejects.toThrow(/^DATA_DIR .* can't be made .*: choose another DATA_DIR$/);
  });

  it('contains the message of PostgreSQL if PostgreSQL refuses to start', async () => {
    stage = usual;
    await expect(stage.start({ shared_buffers: 'plenty' })).rejects.toThrow(
      /does not start\..*\n.*invalid value for parameter "shared_buffers"/,
    );
  });

  it('does not occur because of a left-over process id that now belongs to another program', async () => {
    stage = usual;
    const { uid, gid } = statSync(stage.cluster);
    const other = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) });
    stage.endAfterwards(other);
    const file = join(stage.cluster, 'postmaster.pid');
    writeFileSync(file, [other.pid, stage.cluster, '1', '5432', '/tmp', '', ''].join('\n'));
    chownSync(file, uid, gid);
    expect(await query(await stage.start(), 'select 1 as one')).toEqual({ one: 1 });
    expect(stage.runningPid()).not.toBe(other.pid);
  });
});

// a second user is needed, and only root can act as one
(isRoot ? describe : describe.skip)('root and other users', () => {
  const idOf = (what: '-u' | '-g') => Number(execFileSync('id', [what, 'nobody'], { encoding: 'utf8' }));
  let nobody: { uid: number; gid: number };
  beforeAll(() => {
    nobody = { uid: idOf('-u'), gid: idOf('-g') };
  });

  it('keeps the database outside a directory that its user can not enter', async () => {
    stage = new Stage();
    chmodSync(stage.base, 0o700);
    const first = await stage.start();
    await query(first, 'create table kept as select 42 as answer');
    await first.stop();
    expect(lstatSync(stage.cluster).isSymbolicLink()).toBe(true);
    const place = readlinkSync(stage.cluster);
    try {
      expect(place).toMatch(/^\/var\/lib\/agent-control-plane\/[0-9a-f]{16}\/postgres$/);
      expect(await query(await stage.start(), 'select answer from kept')).toEqual({ answer: 42 });
      await stage.stopAll();
      // as after a start that was killed just before it created the link
      rmSync(stage.cluster);
      expect(await query(await stage.start(), 'select answer from kept')).toEqual({ answer: 42 });
      await stage.stopAll();
      renameSync(place, `${place}.away`);
      await expect(stage.start()).rejects.toThrow(
        /leads to .*, which is gone: bring it back, or remove the link/,
      );
    } finally {
      await stage.stopAll();
      rmSync(dirname(place), { recursive: true, force: true });
    }
  });

  it('names DATA_DIR to an ordinary user who can not write to it', async () => {
    stage = new Stage();
    const { report } = await stage.startElsewhere(nobody);
    expect(report.error).toMatch(
      /^DATA_DIR .* can't be made \(permission denied\): choose another DATA_DIR$/,
    );
  });

  it('names the owner of the database to an ordinary user who does not own it', async () => {
    stage = usual;
    const { report } = await stage.startElsewhere({ uid: 4_242, gid: 4_242 });
    expect(report.error).toMatch(/belongs to another user \(uid \d+, you are 4242\): start as that user/);
  });

  it('refuses a socket directory that another user has created first', async () => {
    stage = usual;
    const first = await stage.start();
    await first.stop();
    mkdirSync(first.connection.host, { mode: 0o700 });
    chownSync(first.connection.host, 12_345, 12_345);
    await expect(stage.start()).rejects.toThrow(`${first.connection.host} belongs to somebody else`);
    expect(statSync(first.connection.host).uid).toBe(12_345);
    rmdirSync(first.connection.host);
  });
});
