import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy } from '../builders/agents.js';
import { Svc } from '../cli/svc.js';
import { until } from '../harness/until.js';
import { because, GID, NOBODY, onRoot, UID } from './nobody.js';
import { pidOf } from './policy-stage.js';
import { RunnerSuite } from './runner-suite.js';
import { RunStage } from './run-stage.js';

/** Starts a program on a machine whose /etc is another directory. */
const ELSEWHERE = ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc && exec "$@"'];
const canMount = spawnSync(ELSEWHERE[0]!, [...ELSEWHERE.slice(1), '/etc', 'true']).status === 0;

let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

/** An agent, and a runner of it where /etc/svc/run.yaml has these rules; null: there is no such file. */
async function stage(rules: string | null) {
  const home = suite.makeHome().path;
  const etc = join(home, 'etc');
  mkdirSync(join(etc, 'svc'), { recursive: true });
  copyFileSync('/etc/passwd', join(etc, 'passwd'));
  if (rules !== null) writeFileSync(join(etc, 'svc', 'run.yaml'), rules, { mode: 0o644 });
  const agent = await createAgent(suite.app, suite.person, {
    config: { command: ['sleep', '1000'], readiness: { seconds: 0.1 } },
  });
  const deployment = await deploy(suite.person, agent);
  const variables = { HOME: home, SERVICE_AGENT_KEY: agent.key };
  const runner = suite.runProcess(variables, [], [...ELSEWHERE, etc]);
  const shows = (status: string) =>
    until(async () => {
      const { body } = await suite.person.api.get(`/deployments/${deployment}`);
      return body.status === status && body;
    });
  return { runner, shows };
}

(canMount ? describe : describe.skip)('/etc/svc/run.yaml (only root can have another /etc)', () => {
  it('is obeyed by svc run without being asked to', async () => {
    const { runner, shows } = await stage('commands: [/srv/agents/*]');
    expect((await shows('failed')).error_message).toContain(
      'The policy /etc/svc/run.yaml of this machine refuses it',
    );
    await runner.end();
  });

  it('stops the start when it is not understood', async () => {
    const { runner } = await stage('command: []');
    expect(await runner.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The policy /etc/svc/run.yaml can\'t be used: The file has "command"'),
    });
  });

  it('changes nothing where it is not there', async () => {
    const { runner, shows } = await stage(null);
    await shows('ready');
    expect(runner.count('policy')).toBe(0);
    await runner.end();
  });
});

onRoot(`A policy, with --user${because},`, () => {
  it('is asked about that account, which may not own a program', async () => {
    const home = suite.makeHome().path;
    const policy = join(home, 'run.yaml');
    const tool = join(home, 'tool');
    writeFileSync(tool, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
    chmodSync(home, 0o755);
    const agent = await createAgent(suite.app, suite.person, {
      config: { command: [tool], readiness: { seconds: 0.1 }, restart: { first_delay_seconds: 0.05 } },
    });
    const deployment = await deploy(suite.person, agent);
    const shows = (status: string) =>
      until(async () => {
        const { body } = await suite.person.api.get(`/deployments/${deployment}`);
        return body.status === status && body;
      });
    const start = (rules: object) => {
      writeFileSync(policy, JSON.stringify(rules), { mode: 0o644 });
      const variables = { HOME: home, SERVICE_AGENT_KEY: agent.key };
      return suite.run(variables, ['--user', NOBODY, '--policy', policy]);
    };
    expect(await start({ users: ['root'] }).ended()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`users has no "${NOBODY}"`),
    });
    const runner = start({ users: [NOBODY], commands: [tool] });
    await shows('ready');
    chownSync(tool, UID, GID);
    process.kill(pidOf(runner), 'SIGKILL');
    expect((await shows('failed')).error_message).toContain(`belongs to account ${UID}`);
    await runner.end();
  });
});

describe('A policy', () => {
  it('that allows no start is reported before a key is made for the agent', async () => {
    const svc = await Svc.loggedIn(suite.app.url, suite.person.email);
    const agent = await createAgent(suite.app, suite.person);
    const keys = async () => (await suite.person.api.get(`/api-keys?agent_id=${agent.id}`)).body.length;
    const before: number = await keys();
    expect(before).toBe(1);
    const policy = join(svc.home, 'run.yaml');
    writeFileSync(policy, 'users: [no-such]', { mode: 0o644 });
    expect(await svc.run(['run', '--agent', agent.id, '--policy', policy])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('users has no "'),
    });
    expect(await keys()).toBe(before);
    await svc.removeHome();
  });

  it('ends a run of an earlier runner that it no longer allows, and its real end is reported', async () => {
    const on = await RunStage.open(suite);
    const first = on.runProcess();
    const run = await on.ask({ task: 'wait' });
    await on.begun(run);
    await first.end('SIGKILL');
    const policy = join(on.home.path, 'run.yaml');
    writeFileSync(policy, 'max_replicas: 0', { mode: 0o644 });
    const next = suite.run({ HOME: on.home.path, SERVICE_AGENT_KEY: on.agent.key }, ['--policy', policy]);
    expect(await on.shows(run, 'failed')).toMatchObject({ error: expect.stringContaining('exit code 1') });
    expect(on.diary(run)).toEqual(['start', 'term']);
    await on.isReady({ status: 'failed' });
    await next.end();
  });
});
