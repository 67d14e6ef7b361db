import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { jest } from '@jest/globals';
import type { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { until } from '../harness/until.js';
import { alive, prepareTemplate, query, Stage } from './embedded-postgres-stage.js';

/** Up to three starts of PostgreSQL in a test, and a busy machine takes ten seconds for the first one of a cluster. */
jest.setTimeout(90_000);

let template: Stage;
let stage: Stage;
beforeAll(async () => {
  template = await prepareTemplate();
});
afterEach(() => stage.clear());
afterAll(() => template.clear());

describe('a start and a stop', () => {
  it('makes a database that speaks UTF-8 and UTC, behind a socket that nobody else can reach', async () => {
    stage = new Stage();
    const postgres = await stage.start();
    const settings = await query(
      postgres,
      `select current_setting('server_encoding') as encoding, current_setting('timezone') as timezone,
              current_setting('listen_addresses') as addresses, datlocale as locale
         from pg_database where datname = current_database()`,
    );
    expect(settings).toEqual({ encoding: 'UTF8', timezone: 'UTC', addresses: '', locale: 'C.UTF-8' });
    const socket = statSync(postgres.connection.host);
    expect(socket.mode & 0o777).toBe(0o700);
    expect(socket.uid).toBe(statSync(stage.cluster).uid);
    expect(statSync(stage.dataDir).mode & 0o777).toBe(0o711);
  });

  it('leaves neither process nor socket behind, and the data to the next start', async () => {
    stage = new Stage(template);
    const first = await stage.start();
    await query(first, 'create table kept as select 42 as answer');
    const pid = stage.runningPid();
    await Promise.all([first.stop(), first.stop()]);
    await until(() => !alive(pid));
    expect(existsSync(first.connection.host)).toBe(false);

    const second = await stage.start();
    expect(second.connection).toEqual(first.connection);
    expect(await query(second, 'select answer from kept')).toEqual({ answer: 42 });
  });

  it('does not keep a process alive that has nothing left to do, and ends with it', async () => {
    stage = new Stage(template);
    const { child } = await stage.startElsewhere();
    const pid = stage.runningPid();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await until(() => !alive(pid));
  });
});

describe('several processes on one directory', () => {
  it('takes over the server of a process that was killed, and stops it at the end', async () => {
    stage = new Stage(template);
    const { child, report } = await stage.startElsewhere();
    const pid = stage.runningPid();
    await query(report, 'create table kept as select 42 as answer');
    // what a terminal does with Ctrl-C: the whole process group, which PostgreSQL must not belong to
    process.kill(-(child.pid as number), 'SIGKILL');
    await once(child, 'exit');
    expect(alive(pid)).toBe(true);

    const postgres = await stage.start();
    expect(stage.runningPid()).toBe(pid);
    expect(await query(postgres, 'select answer from kept')).toEqual({ answer: 42 });
    await postgres.stop();
    await until(() => !alive(pid));
    expect(existsSync(postgres.connection.host)).toBe(false);
  });

  it('refuses a directory that a live process uses, and leaves that one alone', async () => {
    stage = new Stage(template);
    const first = await stage.start();
    const pid = stage.runningPid();
    const { report } = await stage.startElsewhere();
    expect(report.error).toMatch(
      /^Another running service uses .*: stop that one, or choose another DATA_DIR/,
    );
    expect(stage.runningPid()).toBe(pid);
    expect(await query(first, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('gives the directory to exactly one of two first starts at once', async () => {
    stage = new Stage();
    const both = await Promise.all([stage.startElsewhere(), stage.startElsewhere()]);
    const [winner, ...others] = both.filter(({ report }) => report.connection);
    expect(others).toEqual([]);
    expect(both.find((it) => it !== winner)?.report.error).toContain('Another running service uses');
    expect(await query(winner?.report ?? {}, 'select 1 as one')).toEqual({ one: 1 });
    expect(readdirSync(stage.dataDir)).toEqual(['postgres']);
  });
});

/** How many processes hold a claim on the server; those of backends that have died do not count. */
async function claimsOn(server: EmbeddedPostgres, dead = 0): Promise<number> {
  const { n } = await query<{ n: number }>(
    server,
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and granted and pid <> ${dead}`,
  );
  return n;
}

describe('a server that dies', () => {
  it('is started again at the same address', async () => {
    stage = new Stage(template);
    const postgres = await stage.start();
    const pid = stage.runningPid();
    process.kill(pid, 'SIGKILL');
    // Not only there, but claimed again: until then whoever starts may take it.
    await until(async () => stage.pid() !== pid && (await claimsOn(postgres).catch(() => 0)));
    const { report } = await stage.startElsewhere();
    expect(report.error).toContain('Another running service uses');
    const second = stage.runningPid();
    await postgres.stop();
    await until(() => !alive(second));
  });

  it('stays down when it is being stopped', async () => {
    stage = new Stage(template);
    const postgres = await stage.start();
    process.kill(stage.runningPid(), 'SIGKILL');
    await postgres.stop();
    const pid = stage.pid();
    await until(() => pid === undefined || !alive(pid));
  });

  it('is claimed again after PostgreSQL has restarted its own processes', async () => {
    stage = new Stage(template);
    const postgres = await stage.start();
    const pid = stage.runningPid();
    const guard = await query<{ pid: number }>(
      postgres,
      `select pid from pg_stat_activity where application_name = 'agent-control-plane guard'`,
    );
    process.kill(guard.pid, 'SIGKILL');
    await until(() => claimsOn(postgres, guard.pid).catch(() => 0));
    expect(stage.runningPid()).toBe(pid);
  });
});
