import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { freePort } from '../../bench/fleet/free-port.js';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { endPause, pauseAll, readAgent, readDeployment } from '../builders/pauses.js';
import { type Person, registerPerson } from '../builders/people.js';
import { until } from '../harness/until.js';
import { isRunning, makeHome, RunnerProcess } from '../runner/runner-process.js';
import { Stage } from './embedded-postgres-stage.js';
import { Instances } from './instances.js';

/** A PostgreSQL, a service and three runners start twice, which takes a busy machine a minute. */
jest.setTimeout(180_000);

const stage = new Stage();
const homes: ReturnType<typeof makeHome>[] = [];
const runners: RunnerProcess[] = [];
let instances: Instances;
let person: Person;

beforeAll(async () => {
  await stage.start();
  const settings = { PORT: String(await freePort()), HEARTBEAT_INTERVAL_SECONDS: '1' };
  instances = await Instances.start(1, settings, { ...stage.database, drop: () => Promise.resolve() });
  person = await registerPerson(instances.app());
});

afterAll(async () => {
  await Promise.all(runners.map((runner) => runner.dismiss()));
  await instances.close();
  await stage.clear();
  for (const home of homes) home.remove();
});

/** An agent under a runner of its own, each of whose processes writes its pid to a file. */
interface Program {
  readonly agent: TestAgent;
  readonly deployment: string;
  /** Starts the runner. */
  readonly run: () => RunnerProcess;
  /** The processes that were ever started, and those that run. */
  readonly started: () => number[];
  readonly running: () => number[];
}

async function program(body: object = {}): Promise<Program> {
  const home = makeHome();
  homes.push(home);
  const command = ['sh', '-c', 'echo $$ >> "$HOME/pids"; while :; do sleep 1; done'];
  const config = { command, readiness: { seconds: 0.1 } };
  const agent = await createAgent(instances.app(), person, { config, ...body });
  const deployment = await deploy(person, agent);
  const run = () => {
    const { url } = instances.first;
    const variables = {
      PATH: process.env.PATH,
      HOME: home.path,
      SERVICE_API_URL: url,
      SERVICE_AGENT_KEY: agent.key,
    };
    const runner = RunnerProcess.start(variables, []);
    runners.push(runner);
    return runner;
  };
  const started = () => {
    const file = join(home.path, 'pids');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  };
  return { agent, deployment, run, started, running: () => started().filter(isRunning) };
}

const has = ({ deployment }: Program, replicas: number) =>
  until(async () => {
    const { status, ready_replicas: ready } = await readDeployment(person, deployment);
    return status === 'ready' && ready === replicas;
  });

const hasBeatenSince = ({ agent }: Program, time: number) =>
  until(async () => Date.parse((await readAgent(person, agent)).last_heartbeat) > time);

it('A pause of a label holds while the service, its database and the runners are killed and start again, and its end restores exactly what it paused', async () => {
  const labels = { team: 'billing' };
  const two = await program({ labels });
  const stopped = await program({ labels });
  const other = await program();
  const all = [two, stopped, other];
  const first = all.map(({ run }) => run());
  for (const its of all) await has(its, 1);
  await person.api.post(`/deployments/${two.deployment}/scale`, { replicas: 2 });
  await has(two, 2);
  await person.api.post(`/deployments/${stopped.deployment}/stop`);
  await until(() => stopped.running().length === 0);
  const [onlyProcess] = other.running();

  const made = await pauseAll(person, { label: 'team:billing' });
  expect(made).toMatchObject({ agents: 2, holding: 2 });
  const isConfirmed = async ({ agent }: Program) =>
    (await readAgent(person, agent)).paused.confirmed_at !== null;
  await until(async () => (await isConfirmed(two)) && (await isConfirmed(stopped)));
  expect(two.running()).toEqual([]);

  await Promise.all(first.map((runner) => runner.end('SIGKILL')));
  await instances.kill(instances.first);
  const server = stage.runningPid();
  process.kill(server, 'SIGKILL');
  await until(() => ![undefined, server].includes(stage.pid()));
  await instances.add();
  const second = all.map(({ run }) => run());
  await Promise.all(second.map((runner) => runner.next('registered')));
  // Each has continued from the reply to its registration.
  await Promise.all(all.map((its) => hasBeatenSince(its, Date.now())));

  expect([two.started().length, two.running()]).toEqual([2, []]);
  expect(await readDeployment(person, two.deployment)).toMatchObject({ status: 'running', replicas: 2 });
  for (const { agent } of [two, stopped])
    expect((await readAgent(person, agent)).paused).toMatchObject({ pause_id: made.id, reason: 'a test' });
  expect((await readAgent(person, other.agent)).paused).toBeNull();

  await endPause(person, made);
  await has(two, 2);
  expect([two.started().length, two.running().length]).toEqual([4, 2]);
  expect((await readDeployment(person, stopped.deployment)).status).toBe('stopped');
  expect([stopped.started().length, stopped.running()]).toEqual([1, []]);
  expect([other.started(), other.running()]).toEqual([[onlyProcess], [onlyProcess]]);
  expect((await person.api.get('/pauses')).body).toMatchObject([
    { id: made.id, agents: 2, holding: 0, ended_at: expect.any(String) },
  ]);
});
