import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { PROGRAM } from '../cli/svc.js';
import { SvcProcess } from '../cli/running-svc.js';
import { until } from '../harness/until.js';
import { Gateway } from './gateway.js';
import { Runner } from './runner.js';
import { RunnerSuite } from './runner-suite.js';

/** The account, the directories and the open files that `svc run` finds, and what it makes of them. */
let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

const SLEEPER = { command: ['sleep', '1000'], readiness: { seconds: 0.1 } };

describe('The state directory', () => {
  let agent: TestAgent;
  beforeAll(async () => (agent = await createAgent(suite.app, suite.person, { config: SLEEPER })));

  const refusal = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const runner = suite.run({ HOME: '/dev/null', SERVICE_AGENT_KEY: agent.key, ...variables }, args);
    return runner.ended();
  };

  it('is refused when it is a link, before the service hears of the runner', async () => {
    const { path } = suite.makeHome();
    mkdirSync(join(path, 'target'));
    symlinkSync(join(path, 'target'), join(path, 'state'));
    expect(await refusal(['--state-dir', join(path, 'state')])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /state is a link: name the directory itself; or give another --state-dir\n$/,
      ),
    });
    expect(readdirSync(join(path, 'target'))).toEqual([]);
  });

  it('is refused when others can write in it, also where its place is the home directory', async () => {
    const { path } = suite.makeHome();
    mkdirSync(join(path, '.svc', 'run', agent.id), { recursive: true });
    chmodSync(join(path, '.svc', 'run', agent.id), 0o777);
    const { code, stderr } = await refusal([], { HOME: path });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('has been open to others') });
  });

  it('is not made from an invalid id', async () => {
    const { path } = suite.makeHome();
    const service = await Gateway.open(suite.app.url);
    service.treat = () => ({ status: 200, body: { agent_id: '../../../../tmp/elsewhere' } });
    try {
      const runner = suite.run({ HOME: path, SERVICE_AGENT_KEY: agent.key, SERVICE_API_URL: service.url });
      const { code, stderr } = await runner.ended();
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('The service has named an agent that is not an id'),
      });
      expect(readdirSync(join(path, '.svc', 'run'))).toEqual(['keys']);
    } finally {
      await service.down();
    }
  });
});

describe("The agent's key in an open file", () => {
  const started: ChildProcess[] = [];
  afterEach(() => started.splice(0).forEach((child) => child.kill('SIGTERM')));

  const start = (home: string, key: 'pipe' | number) => {
    const child = spawn(process.execPath, [PROGRAM, 'run', '--agent-key-fd', '3'], {
      env: { PATH: process.env.PATH, HOME: home, SERVICE_API_URL: suite.app.url },
      stdio: ['ignore', 'pipe', 'pipe', key],
    });
    return { child, runner: new Runner(new SvcProcess(child, () => undefined)) };
  };

  it.each(['a pipe', 'a file'])('runs the agent, and is open in none of its processes: %s', async (kind) => {
    const home = suite.makeHome();
    const listing = 'ls -l /proc/self/fd; env; tr "\\0" " " </proc/$PPID/cmdline; exec sleep 1000';
    const agent = await createAgent(suite.app, suite.person, {
      config: { ...SLEEPER, command: ['sh', '-c', listing] },
    });
    await deploy(suite.person, agent);
    const file = join(home.path, 'key');
    writeFileSync(file, `${agent.key}\n`, { mode: 0o600 });
    const fd = kind === 'a file' ? openSync(file, 'r') : 'pipe';
    const { child, runner } = start(home.path, fd);
    started.push(child);
    if (typeof fd === 'number') closeSync(fd);
    else (child.stdio[3] as NodeJS.WritableStream).end(`${agent.key}\n`);
    await runner.next('replica_ready');
    const logs = await until(async () => {
      const { body } = await suite.person.api.get(`/agents/${agent.id}/logs?limit=200`);
      return body.some(({ message }: any) => message.includes('--agent-key-fd')) && body;
    });
    const said = logs.map(({ message }: any) => message).join('\n');
    expect(said).not.toContain(agent.key);
    expect(said).toMatch(/ 0 -> \/dev\/null/);
    expect(said).not.toMatch(/ 3 -> (?!\/proc)/);
    child.kill('SIGTERM');
    expect((await runner.ended()).code).toBe(0);
  });

  it.each([
    ['is not open', '77', "can't be read from file descriptor 77 (it is not open)"],
    ['is an output of svc', '1', '--agent-key-fd must be 0, or the number of a file descriptor from 3 on'],
    ['is no number', 'x', '--agent-key-fd must be 0, or the number of a file descriptor from 3 on'],
  ])('is refused where the descriptor %s', async (_what, number, message) => {
    const { stderr } = await suite.run({ HOME: suite.makeHome().path }, ['--agent-key-fd', number]).ended();
    expect(stderr).toContain(message);
  });
});

describe('A login on the machine', () => {
  const login = (home: string) => {
    mkdirSync(join(home, '.svc'));
    writeFileSync(
      join(home, '.svc', 'config.json'),
      JSON.stringify({
        name: 'work',
        api_url: suite.app.url,
        api_key: suite.person.accessToken,
        refresh_token: null,
      }),
    );
  };

  it('is reported once, with its protection from the processes, and without the login itself', async () => {
    const agent = await createAgent(suite.app, suite.person, { config: { ...SLEEPER, replicas: 2 } });
    await deploy(suite.person, agent);
    const { path } = suite.makeHome();
    login(path);
    const runner = suite.run({ HOME: path }, ['--agent', agent.id]);
    await runner.next('replica_ready');
    expect(runner.count('login_readable')).toBe(1);
    const { level, message } = await runner.next('login_readable');
    expect(level).toBe('warning');
    expect(message).toContain(`can read ${join(path, '.svc', 'config.json')}`);
    expect(message).toMatch(/--user.*svc run install/);
    await runner.end();
  });

  it('is not reported when absent', async () => {
    const agent = await createAgent(suite.app, suite.person, { config: SLEEPER });
    await deploy(suite.person, agent);
    const runner = suite.run({ HOME: suite.makeHome().path, SERVICE_AGENT_KEY: agent.key });
    await runner.next('replica_ready');
    expect(runner.count('login_readable')).toBe(0);
    await runner.end();
  });
});
