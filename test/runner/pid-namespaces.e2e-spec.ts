import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import { until } from '../harness/until.js';
import type { RunnerProcess } from './runner-process.js';
import { FIXTURE, RunnerSuite } from './runner-suite.js';

const NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** A first process that outlives the runner, as an init does. */
const INIT = [...NAMESPACE, 'sh', '-c', '"$@" & while :; do wait; sleep 1; done', 'init'];
const canMakeNamespaces = spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), 'true']).status === 0;

/** Runners that share a state directory and can't see each other's processes, as in two containers with one volume. */
let suite: RunnerSuite;
let person: Person;
let home: { readonly path: string };
const runners: RunnerProcess[] = [];

beforeAll(async () => {
  suite = await RunnerSuite.open();
  person = suite.person;
  home = suite.makeHome();
});

afterAll(async () => {
  // the namespace ends, with all its processes, when its first process ends
  await Promise.all(runners.map((runner) => runner.end('SIGKILL')));
  await suite.close();
});

function run(agent: TestAgent, stateDir: string, through: readonly string[]): RunnerProcess {
  const variables = { HOME: home.path, SERVICE_AGENT_KEY: agent.key };
  const runner = suite.runProcess(variables, ['--state-dir', stateDir], through);
  runners.push(runner);
  return runner;
}

async function deployed(): Promise<TestAgent> {
  const command = [process.execPath, FIXTURE, 'count', '50'];
  const agent = await createAgent(suite.app, person, { config: { command, readiness: { seconds: 0.1 } } });
  await deploy(person, agent);
  return agent;
}

/** Pids in this namespace, found by a word of the command line and a variable of the environment. */
function pidsOf(word: string, variable: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [line, environment] = ['cmdline', 'environ'].map((it) =>
        readFileSync(`/proc/${name}/${it}`, 'utf8'),
      );
      return line!.split('\0').includes(word) && environment!.includes(variable) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

(canMakeNamespaces ? describe : describe.skip)('Runners in different PID namespaces', () => {
  it('run an agent in one of them, and the other one ends with a message about it', async () => {
    const agent = await deployed();
    const stateDir = join(home.path, 'one');
    const both = [run(agent, stateDir, NAMESPACE), run(agent, stateDir, NAMESPACE)];
    const refused = await Promise.race(both.map(async (runner) => (await runner.ended(), runner)));
    expect(await refused.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: .* runs this agent already, with the state in .*\n$/),
    });
    const works = both.find((runner) => runner !== refused)!;
    await works.next('replica_ready');
    expect(pidsOf(FIXTURE, `AGENT_ID=${agent.id}`)).toHaveLength(1);
  });

  it('start no second process while the processes of a killed runner work in another namespace', async () => {
    const agent = await deployed();
    const stateDir = join(home.path, 'left');
    const first = run(agent, stateDir, INIT);
    await first.next('replica_ready');
    const [runnerPid] = pidsOf('run', `SERVICE_AGENT_KEY=${agent.key}`).filter((pid) => {
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8');
      return !/^(unshare|sh)\n$/.test(name);
    });
    process.kill(runnerPid!, 'SIGKILL');
    const second = run(agent, stateDir, NAMESPACE);
    expect(await second.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: Processes of an earlier runner .* another PID namespace/),
    });
    expect(pidsOf(FIXTURE, `AGENT_ID=${agent.id}`)).toHaveLength(1);

    // they end with their container
    await first.end('SIGKILL');
    const third = run(agent, stateDir, NAMESPACE);
    await third.next('replica_ready');
    await until(() => pidsOf(FIXTURE, `AGENT_ID=${agent.id}`).length === 1);
    expect(third.events.map(({ event }) => event)).not.toContain('replica_adopted');
  });
});
