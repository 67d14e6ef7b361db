import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, lstatSync, mkdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import { isRoot, prepareTemplate, query, Stage } from './embedded-postgres-stage.js';

/** Up to three starts of PostgreSQL in a test, and a busy machine takes ten seconds for the first one of a cluster. */
jest.setTimeout(90_000);

let template: Stage;
let stage: Stage;
beforeAll(async () => {
  template = await prepareTemplate();
});
afterEach(() => stage.clear());
afterAll(() => template.clear());

describe('what is in the way', () => {
  it('tells a directory of another major version', async () => {
    stage = new Stage(template);
    writeFileSync(join(stage.cluster, 'PG_VERSION'), '15\n');
    await expect(stage.start()).rejects.toThrow(
      /was made by PostgreSQL 15, this is PostgreSQL 18: carry the data over/,
    );
  });

  it('tells a directory that is no database', async () => {
    stage = new Stage();
    mkdirSync(stage.cluster, { recursive: true });
    writeFileSync(join(stage.cluster, 'notes.txt'), '');
    await expect(stage.start()).rejects.toThrow(/holds something else than a PostgreSQL cluster/);
  });

  it('tells a DATA_DIR that is a file', async () => {
    stage = new Stage();
    writeFileSync(stage.dataDir, '');
    await expect(stage.start()).rejects.toThrow(/^DATA_DIR .* can't be made .*: choose another DATA_DIR$/);
  });

  it('shows what PostgreSQL says when it will not start', async () => {
    stage = new Stage(template);
    await expect(stage.start({ shared_buffers: 'plenty' })).rejects.toThrow(
      /does not start\..*\n.*invalid value for parameter "shared_buffers"/,
    );
  });

  it('is not fooled by a left-over process id that now belongs to another program', async () => {
    stage = new Stage(template);
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

// a second user is needed, and only root can become one
(isRoot ? describe : describe.skip)('root and other users', () => {
  const idOf = (what: '-u' | '-g') => Number(execFileSync('id', [what, 'nobody'], { encoding: 'utf8' }));
  let nobody: { uid: number; gid: number };
  beforeAll(() => {
    nobody = { uid: idOf('-u'), gid: idOf('-g') };
  });

  it('keeps the database outside of a directory that its user can not enter', async () => {
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
      // as after a start that was killed just before it made the link
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

  it('works for an ordinary user', async () => {
    stage = new Stage();
    mkdirSync(stage.dataDir);
    chownSync(stage.dataDir, nobody.uid, nobody.gid);
    const { child, report } = await stage.startElsewhere(nobody);
    expect(await query(report, 'select 1 as one')).toEqual({ one: 1 });
    expect(statSync(stage.cluster).uid).toBe(nobody.uid);
    child.stdin.end('stop\n');
    await once(child, 'exit');
    // and what that user has made, root can use
    expect(await query(await stage.start(), 'select 1 as one')).toEqual({ one: 1 });
  });

  it('tells an ordinary user that DATA_DIR can not be written', async () => {
    stage = new Stage();
    const { report } = await stage.startElsewhere(nobody);
    expect(report.error).toMatch(
      /^DATA_DIR .* can't be made \(permission denied\): choose another DATA_DIR$/,
    );
  });

  it('tells an ordinary user whose database it is', async () => {
    stage = new Stage(template);
    const { report } = await stage.startElsewhere({ uid: 4_242, gid: 4_242 });
    expect(report.error).toMatch(/belongs to another user \(uid \d+, you are 4242\): start as that user/);
  });

  it('refuses a socket directory that somebody else has made first', async () => {
    stage = new Stage(template);
    const first = await stage.start();
    await first.stop();
    mkdirSync(first.connection.host, { mode: 0o700 });
    chownSync(first.connection.host, 12_345, 12_345);
    await expect(stage.start()).rejects.toThrow(`${first.connection.host} belongs to somebody else`);
    expect(statSync(first.connection.host).uid).toBe(12_345);
  });
});
