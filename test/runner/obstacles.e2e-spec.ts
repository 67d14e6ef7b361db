import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import { until } from '../harness/until.js';
import type { Runner } from './runner.js';
import { isRunning } from './runner-process.js';
import { FIXTURE, RunnerSuite } from './runner-suite.js';

/** Obstacles of `svc run` on its own machine: the disk, the home directory, odd configurations. */
let suite: RunnerSuite;
let person: Person;

beforeAll(async () => {
  suite = await RunnerSuite.open();
  person = suite.person;
});

afterAll(() => suite.close());

interface Stage {
  readonly agent: TestAgent;
  readonly deployment: string;
  readonly runner: Runner;
  readonly stateDir: string;
}

/** With a home directory that is not writable, and a separate state directory. */
async function stage(config: object): Promise<Stage> {
  const home = suite.makeHome();
  const stateDir = join(home.path, 'state');
  const agent = await createAgent(suite.app, person, {
    config: {
      command: ['sleep', '1000'],
      readiness: { seconds: 0.1 },
      restart: { first_delay_seconds: 0.1, give_up_after: 2 },
      ...config,
    },
  });
  const deployment = await deploy(person, agent);
  const runner = suite.run({ HOME: '/dev/null', SERVICE_AGENT_KEY: agent.key }, ['--state-dir', stateDir]);
  return { agent, deployment, runner, stateDir };
}

const read = async ({ deployment }: Stage) => (await person.api.get(`/deployments/${deployment}`)).body;
const shows = (on: Stage, status: string) => until(async () => (await read(on)).status === status);
const commandsOf = async ({ deployment }: Stage): Promise<any[]> =>
  (await person.api.get(`/deployments/${deployment}/commands`)).body;

/** The pid of the last started process. */
function pidOf({ runner }: Pick<Stage, 'runner'>): number {
  const started = runner.events.findLast(({ event }) => event === 'replica_started')!;
  return Number(/Process (\d+)/.exec(started.message)![1]);
}

/** Makes the state unwritable, also for root: a file can't replace a directory. */
function spoil({ stateDir }: Stage): void {
  rmSync(join(stateDir, 'runtime.json'));
  mkdirSync(join(stateDir, 'runtime.json'));
}

describe('The runner, on a machine with obstacles,', () => {
  it.each([
    ['/dev/null/check', '/dev/null/check', 'ENOTDIR'],
    // the service can't store this character
    ['check\0', 'check\uFFFD', 'ENOENT: there is no such program'],
    ['/no/such/check', '/no/such/check', 'ENOENT: there is no such program'],
  ])(
    'logs that a readiness check can not be started, leaves the replica unready, and continues: %j',
    async (program, kept, code) => {
      const on = await stage({ readiness: { command: [program], interval_seconds: 0.05 } });
      await shows(on, 'running');
      const told = `readiness check ${JSON.stringify(kept)} can't be started (${code})`;
      const logged = await until(async () => {
        const logs: any[] = (await person.api.get(`/deployments/${on.deployment}/logs`)).body;
        return logs.find(({ message }) => message.includes(told));
      });
      expect(logged).toMatchObject({ level: 'warning', metadata: { source: 'runner', replica: 0 } });
      await person.api.delete(`/deployments/${on.deployment}`);
      await until(async () => (await commandsOf(on))[0].state === 'succeeded');
      expect(on.runner.isOver).toBe(false);
      // one event for the many checks until its end
      expect(on.runner.events.filter(({ event }) => event === 'readiness_unusable')).toHaveLength(1);
    },
  );

  it('reports the error of a stack trace as the reason of a failure, also from standard output', async () => {
    const trace = 'Error: no configuration\n    at read (agent.js:1:2)\n    at run (agent.js:3:4)';
    const on = await stage({
      readiness: { seconds: 100 },
      command: ['sh', '-c', `echo starting; printf '${trace}\\n'; exit 3`],
    });
    await shows(on, 'failed');
    expect((await read(on)).error_message).toMatch(/exit code 3: Error: no configuration$/);
    const logged = await until(async () => {
      const logs: any[] = (await person.api.get(`/deployments/${on.deployment}/logs?q=at%20read`)).body;
      return logs[0];
    });
    expect(logged.message).toBe(trace);
  });

  it('logs output without a line feed, such as a prompt, while the program waits', async () => {
    const on = await stage({ command: ['sh', '-c', "printf 'Continue? '; exec sleep 1000"] });
    await until(async () => {
      const logs: any[] = (await person.api.get(`/deployments/${on.deployment}/logs`)).body;
      return logs.some(({ message }) => message === 'Continue? ');
    });
    expect(isRunning(pidOf(on))).toBe(true);
  });

  it.each(['#!/bin/sh', '#!/usr/bin/env sh'])(
    'says in the reason of a failure that a script has line ends of CRLF, when it begins with %s',
    async (firstLine) => {
      const program = join(suite.makeHome().path, 'agent.sh');
      writeFileSync(program, `${firstLine}\r\necho hello\r\n`, { mode: 0o755 });
      const on = await stage({ readiness: { seconds: 100 }, command: [program] });
      await shows(on, 'failed');
      expect((await read(on)).error_message).toContain('its first line ends with a carriage return');
    },
  );

  it('stops a deployment while its disk is full', async () => {
    const on = await stage({});
    await shows(on, 'ready');
    const pid = pidOf(on);
    spoil(on);
    await person.api.post(`/agents/${on.agent.id}/stop`);
    await until(async () => (await commandsOf(on))[0].state === 'succeeded');
    expect(isRunning(pid)).toBe(false);
  });

  it('fails a scale that can not be kept because the disk is full, while the running replicas continue', async () => {
    const on = await stage({});
    await shows(on, 'ready');
    const pid = pidOf(on);
    spoil(on);
    await person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 3 });
    const scale = await until(async () => (await commandsOf(on)).find(({ state }) => state === 'failed'));
    expect(scale).toMatchObject({
      action: 'scale',
      error: expect.stringContaining("can't be written (EISDIR): give this user write access to it"),
    });
    expect(isRunning(pid)).toBe(true);
    expect(on.runner.count('replica_started')).toBe(1);
  });

  it('takes over the running replicas when it is started again on a full disk', async () => {
    const home = suite.makeHome();
    const agent = await createAgent(suite.app, person, {
      config: { command: ['sleep', '1000'], readiness: { seconds: 0.1 } },
    });
    await deploy(person, agent);
    const variables = { HOME: home.path, SERVICE_AGENT_KEY: agent.key };
    const first = suite.runProcess(variables);
    await first.next('replica_ready');
    const pid = pidOf({ runner: first });
    await first.end('SIGKILL');
    // its processes can create no file any more
    const next = suite.runProcess(variables, [], ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh']);
    await next.next('not_kept');
    await next.next('replica_ready');
    expect(isRunning(pid)).toBe(true);
    expect(next.count('replica_started')).toBe(0);
  });

  it('ends a process that has left the process group of its replica', async () => {
    const on = await stage({ command: [process.execPath, FIXTURE, 'escape'] });
    const escaped = await until(async () => {
      const logs: any[] = (await person.api.get(`/deployments/${on.deployment}/logs`)).body;
      return logs.flatMap(({ message }) => /^escaped (\d+)$/.exec(message)?.[1] ?? []).map(Number)[0];
    });
    await shows(on, 'ready');
    expect(isRunning(escaped)).toBe(true);
    await person.api.post(`/agents/${on.agent.id}/stop`);
    await until(async () => (await commandsOf(on))[0].state === 'succeeded');
    expect(isRunning(escaped)).toBe(false);
  });

  it('names a state directory that can not be used', async () => {
    const agent = await createAgent(suite.app, person);
    const runner = suite.run({ HOME: '/dev/null', SERVICE_AGENT_KEY: agent.key });
    expect(await runner.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: \/dev\/null\/\.svc\/run.* give another --state-dir\n$/),
    });
  });
});
