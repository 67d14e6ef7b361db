import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { pause, readAgent, readDeployment, resume } from '../builders/pauses.js';
import type { Person } from '../builders/people.js';
import { until } from '../harness/until.js';
import { isRunning, type RunnerProcess } from './runner-process.js';
import { RunnerSuite } from './runner-suite.js';

/** Pauses of agents under `svc run`, with real processes. */
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
  /** Starts a runner as a process of its own. */
  readonly run: () => RunnerProcess;
  /** The processes of all replicas that were ever started. */
  readonly pids: () => number[];
}

/** A deployment with two ready replicas, each of which writes its pid to a file. */
async function stage(): Promise<Stage & { readonly runner: RunnerProcess }> {
  const home = suite.makeHome();
  const file = join(home.path, 'pids');
  const command = ['sh', '-c', 'echo $$ >> "$HOME/pids"; while :; do sleep 1; done'];
  const config = { command, readiness: { seconds: 0.1 }, stop_grace_seconds: 5 };
  const agent = await createAgent(suite.app, person, { config });
  const deployment = await deploy(person, agent);
  const run = () => suite.runProcess({ HOME: home.path, SERVICE_AGENT_KEY: agent.key });
  const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []);
  const staged = { agent, deployment, run, pids };
  const runner = run();
  await ready(staged, 1);
  await person.api.post(`/deployments/${deployment}/scale`, { replicas: 2 });
  await ready(staged, 2);
  return { ...staged, runner };
}

const ready = ({ deployment }: Pick<Stage, 'deployment'>, replicas: number) =>
  until(async () => {
    const { status, ready_replicas: count } = await readDeployment(person, deployment);
    return status === 'ready' && count === replicas;
  });

const confirmed = ({ agent }: Stage) =>
  until(async () => (await readAgent(person, agent)).paused.confirmed_at !== null);

describe('A paused agent under svc run', () => {
  it('has no process, also under the next runner, and all of them again when it is resumed', async () => {
    const staged = await stage();
    const { agent, deployment, runner, run, pids } = staged;
    expect(pids().filter(isRunning)).toHaveLength(2);
    await pause(person, agent);
    await confirmed(staged);
    expect(pids().filter(isRunning)).toEqual([]);

    await runner.end('SIGKILL');
    const next = run();
    await until(async () => (await readDeployment(person, deployment)).ready_replicas === 0);
    expect((await readDeployment(person, deployment)).replicas).toBe(2);
    expect(pids()).toHaveLength(2);
    await resume(person, agent);
    await ready(staged, 2);
    expect(pids().filter(isRunning)).toHaveLength(2);
    expect(await next.end()).toBe(0);
  });

  it('whose runner was killed before the pause loses its processes with the next runner', async () => {
    const staged = await stage();
    await staged.runner.end('SIGKILL');
    expect(staged.pids().filter(isRunning)).toHaveLength(2);
    await pause(person, staged.agent);
    expect((await readAgent(person, staged.agent)).paused.confirmed_at).toBeNull();
    const next = staged.run();
    await confirmed(staged);
    expect(staged.pids().filter(isRunning)).toEqual([]);
    expect(await next.end()).toBe(0);
  });
});
