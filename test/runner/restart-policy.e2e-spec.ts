import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy } from '../builders/agents.js';
import { pause, resume, stepsOf } from '../builders/pauses.js';
import type { Person } from '../builders/people.js';
import { until } from '../harness/until.js';
import { RunnerSuite } from './runner-suite.js';

/** `svc run` and programs that end, as `restart.when` of their config says. */
let suite: RunnerSuite;
let person: Person;

beforeAll(async () => {
  suite = await RunnerSuite.open();
  person = suite.person;
});

afterAll(() => suite.close());

/** An agent whose program is a line of shell, deployed; `$HOME` is a directory of its own. */
async function stage(line: string, when: string) {
  const home = suite.makeHome();
  const config = {
    command: ['/bin/sh', '-c', line],
    readiness: { seconds: 0.1 },
    restart: { when, first_delay_seconds: 0.1 },
  };
  const agent = await createAgent(suite.app, person, { config });
  const deployment = await deploy(person, agent);
  const variables = { HOME: home.path, SERVICE_AGENT_KEY: agent.key };
  const startsIn = (file: string) =>
    readFileSync(join(home.path, file), { encoding: 'utf8', flag: 'a+' }).trim().split('\n').filter(Boolean);
  return { agent, deployment, variables, home: home.path, starts: () => startsIn('starts') };
}

const shows = (id: string, expected: Record<string, unknown>) =>
  until(async () => {
    const { body } = await person.api.get(`/deployments/${id}`);
    return Object.entries(expected).every(([name, value]) => body[name] === value) && body;
  });

describe('A program that is not to start again when it ends well', () => {
  it('completes its deployment when all replicas have ended with 0, a replica that fails starts again', async () => {
    const line =
      'echo $REPLICA_INDEX >>"$HOME/starts"; until [ -e "$HOME/go-$REPLICA_INDEX" ]; do sleep 0.05; done; ' +
      'if mkdir "$HOME/tried-$REPLICA_INDEX"; then exit 3; fi';
    const on = await stage(line, 'failed');
    const runner = suite.run(on.variables);
    await shows(on.deployment, { status: 'ready' });
    await person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 2 });
    await shows(on.deployment, { status: 'ready', ready_replicas: 2 });
    writeFileSync(join(on.home, 'go-0'), '');
    await runner.next('replica_completed');
    // a pause and its end start no replica that has ended well
    await pause(person, on.agent);
    await shows(on.deployment, { status: 'running', ready_replicas: 0 });
    writeFileSync(join(on.home, 'go-1'), '');
    await resume(person, on.agent);
    const ended = await shows(on.deployment, { status: 'stopped' });
    expect(ended).toMatchObject({ status_source: 'agent', last_exit: { code: 0 }, error_message: null });
    expect((await stepsOf(person, on.deployment)).at(-1)).toBe('completed');
    // 0 fails and ends well; 1 is ended by the pause, fails and ends well
    expect(on.starts().sort()).toEqual(['0', '0', '1', '1', '1']);
  });

  it('fails its deployment at once when it may never start again and ends otherwise', async () => {
    const on = await stage('echo no paper >&2; exit 3', 'never');
    const runner = suite.run(on.variables);
    const failed = await shows(on.deployment, { status: 'failed' });
    expect(failed).toMatchObject({
      error_message:
        'Replica 0 ended with exit code 3: no paper; its config says that it is not started again',
      restart_count: 0,
      last_exit: { code: 3 },
    });
    expect(runner.count('replica_started')).toBe(1);
  });

  it.each([
    ['completed', 'stopped', 'exit 0'],
    ['failed', 'failed', 'exit 3'],
  ])('is %s when it has ended while no runner was there', async (event, status, end) => {
    const line = `echo start >>"$HOME/starts"; until [ -e "$HOME/go" ]; do sleep 0.05; done; : >"$HOME/gone"; ${end}`;
    const on = await stage(line, 'never');
    const first = suite.runProcess(on.variables);
    await shows(on.deployment, { status: 'ready' });
    await first.end('SIGKILL');
    writeFileSync(join(on.home, 'go'), '');
    await until(() => {
      try {
        return readFileSync(join(on.home, 'gone'), 'utf8') === '';
      } catch {
        return false;
      }
    });
    suite.run(on.variables);
    await shows(on.deployment, { status });
    expect((await stepsOf(person, on.deployment)).at(-1)).toBe(event);
    expect(on.starts()).toEqual(['start']);
  });
});
