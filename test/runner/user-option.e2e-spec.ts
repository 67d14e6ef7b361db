import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { asNobody, because, NOBODY, onRoot } from './nobody.js';
import { makeHome, RunnerProcess } from './runner-process.js';

const homes: { remove(): void }[] = [];
afterEach(() => homes.splice(0).forEach((home) => home.remove()));

describe('--user', () => {
  const refused = async (args: readonly string[], through: readonly string[] = []) => {
    const home = makeHome();
    homes.push(home);
    chmodSync(home.path, 0o777);
    const variables = { PATH: process.env.PATH, HOME: home.path, SERVICE_AGENT_KEY: 'svc_agent_none' };
    // nobody listens there: a runner that asks for its agent goes on asking
    const service = { SERVICE_API_URL: 'http://127.0.0.1:9' };
    const runner = RunnerProcess.start({ ...variables, ...service }, args, through);
    const { code, stderr } = await runner.ended();
    expect(existsSync(join(home.path, '.svc'))).toBe(false);
    return { code, stderr };
  };

  it.each([
    ['no-such-account', 'this machine has no account "no-such-account"'],
    ['root', '--user must not be root'],
    ['-x', '"-x" is not an account name'],
    ['a:b\n', 'is not an account name'],
  ])('is refused before anything is registered: %j', async (name, message) => {
    const { code, stderr } = await refused([`--user=${name}`]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  });

  onRoot(`of somebody without rights${because}`, () => {
    it('is refused with the rights that are missing', async () => {
      const { code, stderr } = await refused(['--user', 'daemon'], asNobody);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/--user daemon needs root: this process lacks CAP_CHOWN, CAP_KILL/),
      });
    });

    it('is refused when it is their own account', async () => {
      expect((await refused(['--user', NOBODY], asNobody)).stderr).toContain(
        'is the account of svc run itself',
      );
    });
  });
});

onRoot(`--state-dir of somebody without rights${because}`, () => {
  it.each([
    [0o755, 'state belongs to user 0, and svc runs as user 65534'],
    [0o700, "state can't be used (EACCES)"],
  ])("is refused where the directory is root's, with mode %d", async (mode, message) => {
    const home = makeHome();
    homes.push(home);
    chmodSync(home.path, 0o755);
    mkdirSync(join(home.path, 'state'));
    chmodSync(join(home.path, 'state'), mode);
    const variables = { PATH: process.env.PATH, HOME: '/nonexistent', SERVICE_AGENT_KEY: 'svc_agent_none' };
    const { code, stderr } = await RunnerProcess.start(
      variables,
      ['--state-dir', join(home.path, 'state')],
      asNobody,
    ).ended();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  });
});
