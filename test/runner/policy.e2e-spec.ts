import { chmodSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, readRun } from '../builders/runs.js';
import { SvcHere } from '../cli/running-svc.js';
import { until } from '../harness/until.js';
import { pidOf, PolicyStage } from './policy-stage.js';
import { isRunning } from './runner-process.js';
import { RunnerSuite } from './runner-suite.js';

/** `svc run` under a policy of its machine: real processes, and the real service. */
let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

const agentOf = (home: string) => ({ command: [join(home, 'bin/agent')] });
const BIN = (home: string) => ({ commands: [join(home, 'bin/*')] });

describe('The policy of a machine', () => {
  it('lets an allowed program run', async () => {
    const on = await PolicyStage.open(suite, agentOf);
    const runner = on.run();
    await on.shows('ready');
    expect((await runner.next('policy')).message).toBe(
      `The policy ${on.policyFile} says what may be started`,
    );
    expect(await runner.end()).toBe(0);
  });

  it.each([
    ['has an unknown rule', (file: string) => writeFileSync(file, 'comands: []'), 'The file has "comands"'],
    [
      'can be written by others',
      (file: string) => chmodSync(file, 0o666),
      'can be written by its group or by everybody',
    ],
    ['is not there', (file: string) => renameSync(file, `${file}.old`), 'there is no such file'],
    [
      'does not know the account',
      (file: string) => writeFileSync(file, 'users: [no-such]'),
      'users has no "',
    ],
  ])('stops the start of the runner when it %s, before the service is asked', async (_, spoil, reason) => {
    const on = await PolicyStage.open(suite, agentOf);
    spoil(on.policyFile);
    const { code, stderr } = await on.run().ended();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) });
    expect(stderr).toMatch(/^Error: The policy .*\n$/);
    expect(await on.read()).toMatchObject({ status: 'deploying' });
    expect(existsSync(join(on.home, '.svc'))).toBe(false);
  });

  it('fails a deploy that it refuses, once, in words that name the rule and no secret', async () => {
    const marker = (home: string) => join(home, 'marker');
    const on = await PolicyStage.open(suite, (home) => ({
      command: ['/bin/sh', '-c', `: s3cret-argument; touch ${marker(home)}; sleep 1000`],
      env: { LD_PRELOAD: 's3cret-value' },
    }));
    const runner = on.run();
    const message =
      `The policy ${on.policyFile} of this machine refuses it: environment, which is not there, allows no "LD_PRELOAD"; ` +
      'commands does not allow "/bin/sh"';
    const deployment = await on.shows('failed');
    expect(deployment.error_message).toContain(message);
    const commands = await until(async () => {
      const all = await on.commands();
      return all[0].state === 'failed' && all;
    });
    expect(commands).toMatchObject([{ action: 'deploy', error: expect.stringContaining(message) }]);
    const logs = await until(async () => {
      const { body } = await suite.person.api.get(`/deployments/${on.deployment}/logs`);
      return body.length > 0 && body;
    });
    expect(logs).toMatchObject([{ level: 'error', message: expect.stringContaining(message) }]);
    await runner.end();
    expect(JSON.stringify([deployment, commands, logs, runner.events])).not.toContain('s3cret');
    expect(runner.count('command_failed')).toBe(1);
    expect(existsSync(marker(on.home))).toBe(false);
  });

  it('fails a scale past its limit, and the running replicas end with the deployment', async () => {
    const on = await PolicyStage.open(suite, agentOf, () => ({ max_replicas: 1 }));
    const runner = on.run();
    await on.shows('ready');
    const pid = pidOf(runner);
    await suite.person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 2 });
    expect((await on.shows('failed')).error_message).toContain('max_replicas is 1, and 2 are asked for');
    expect(isRunning(pid)).toBe(false);
    await runner.end();
  });

  it('is asked before a process is started again, also when it was replaced meanwhile; then the deployment has failed', async () => {
    const on = await PolicyStage.open(suite, agentOf);
    const runner = on.run();
    await on.shows('ready');
    on.allow({ commands: [] });
    const pid = pidOf(runner);
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    expect((await on.shows('failed')).error_message).toContain('commands does not allow');
    expect(runner.count('replica_started')).toBe(1);
    // a person's restart is refused until the policy allows it
    const restart = () => suite.person.api.post(`/deployments/${on.deployment}/restart`);
    await restart();
    await until(async () => (await on.commands())[0].state === 'failed');
    on.allow(BIN(on.home));
    await on.shows('failed');
    await restart();
    await on.shows('ready');
    await runner.end();
  });

  it('lets no program start that came into the place of an allowed one as a link', async () => {
    const on = await PolicyStage.open(suite, agentOf);
    const runner = on.run();
    await on.shows('ready');
    mkdirSync(join(on.home, 'others'));
    renameSync(on.program('evil', `touch ${on.home}/marker`), join(on.home, 'others/evil'));
    symlinkSync('../others/evil', join(on.home, 'bin/next'));
    renameSync(join(on.home, 'bin/next'), join(on.home, 'bin/agent'));
    process.kill(pidOf(runner), 'SIGKILL');
    expect((await on.shows('failed')).error_message).toContain('others/evil');
    expect(existsSync(join(on.home, 'marker'))).toBe(false);
    await runner.end();
  });

  it('leaves a replica unready whose readiness check it no longer allows', async () => {
    const on = await PolicyStage.open(suite, (home) => ({
      ...agentOf(home),
      readiness: { command: [join(home, 'bin/check')], interval_seconds: 0.05 },
    }));
    on.program('check', 'exit 0');
    const runner = on.run();
    await on.shows('ready');
    on.allow({ commands: [join(on.home, 'bin/agent')] });
    expect((await runner.next('readiness_unusable')).message).toContain('commands does not allow');
    await on.shows('running');
    await runner.end();
  });

  it('ends the processes of an earlier runner that it no longer allows', async () => {
    const on = await PolicyStage.open(suite, agentOf);
    const first = on.runProcess();
    await on.shows('ready');
    const pid = pidOf(first);
    await first.end('SIGKILL');
    expect(isRunning(pid)).toBe(true);
    on.allow({ commands: [] });
    const next = on.run();
    expect((await on.shows('failed')).error_message).toContain('commands does not allow');
    await until(() => !isRunning(pid));
    await next.end();
  });
});

describe('The policy of a machine, with runs,', () => {
  const runsOf = (home: string) => ({ run: { command: [join(home, 'bin/answer')] } });

  it('lets a run start that it allows, and fails one that it refuses later, with the deployment', async () => {
    const on = await PolicyStage.open(suite, runsOf);
    on.program('answer', `echo '"42"'`);
    const runner = on.run();
    await on.shows('ready');
    const { person } = suite;
    const runIs = (id: string, status: string) =>
      until(async () => {
        const run = await readRun(person, id);
        return run.status === status && run;
      });
    const good = await ask(person, on.agent, { input: {} });
    expect(await runIs(good.id, 'succeeded')).toMatchObject({ output: '42' });
    on.allow({ commands: [join(on.home, 'bin/agent')] });
    const refused = await ask(person, on.agent, { input: {} });
    expect(await runIs(refused.id, 'failed')).toMatchObject({
      error: expect.stringContaining('commands does not allow'),
    });
    expect((await on.shows('failed')).error_message).toContain('commands does not allow');
    await runner.end();
  });

  it('fails a deploy with more runs at a time than it allows', async () => {
    const on = await PolicyStage.open(
      suite,
      (home) => ({ run: { ...runsOf(home).run, concurrency: 3 } }),
      () => ({ max_concurrency: 2 }),
    );
    const runner = on.run();
    expect((await on.shows('failed')).error_message).toContain('max_concurrency is 2');
    await runner.end();
  });
});

it('A hash that svc prints is that of the config which the runner gets, with its secrets', async () => {
  const written = { env: { B: { secret: 's3cret' }, A: 1 }, command: ['sleep', '1000'] };
  const on = await PolicyStage.open(
    suite,
    () => written,
    () => null,
  );
  const read = await suite.person.api.get(`/agents/${on.agent.id}?reveal=true`);
  const { readiness, restart } = JSON.parse(read.body.config);
  const svc = new SvcHere(
    ['policy', 'hash', '-'],
    JSON.stringify({ ...written, restart, readiness }),
    { HOME: on.home },
    () => undefined,
  );
  const { stdout } = await svc.ended();
  on.allow({ configs: [stdout.trim()] });
  const runner = on.run();
  await on.shows('ready');
  await suite.person.api.patch(`/agents/${on.agent.id}`, {
    config: { ...written, env: { A: 1, B: { secret: 'another' } }, readiness, restart },
  });
  await suite.person.api.post(`/agents/${on.agent.id}/deploy`, { replaces: 'active' });
  const refused = await runner.next('command_failed');
  expect(refused.message).toMatch(/configs has not the hash of this config$/);
  await runner.end();
});
