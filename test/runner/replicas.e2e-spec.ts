import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses } from '../../packages/svc/src/runner/processes/process-table.js';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import { until } from '../harness/until.js';
import type { Runner } from './runner.js';
import { isRunning } from './runner-process.js';
import { FIXTURE, RunnerSuite } from './runner-suite.js';

const QUICK = {
  readiness: { seconds: 0.1 },
  stop_grace_seconds: 5,
  restart: { first_delay_seconds: 0.1, give_up_after: 3 },
};

/** The first line of this very process, and not of one before it, is in the diary. */
const HAS_BEGUN = {
  command: ['sh', '-c', 'grep -q "start .* $REPLICA_ID" "$HOME/diary"'],
  // each is two processes, of each replica
  interval_seconds: 0.25,
};

/** For ten thousand lines on their way through pipes, requests and the database. */
const FLOOD_PATIENCE_MS = 50_000;

/** `svc run`, real processes, and the real service. */
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
  readonly home: string;
}

async function stage(
  task: readonly string[],
  config: object = {},
  args: readonly string[] = [],
): Promise<Stage> {
  const home = suite.makeHome();
  const command = [process.execPath, FIXTURE, ...task.map((part) => part.replace('HOME', home.path))];
  const agent = await createAgent(suite.app, person, { config: { ...QUICK, command, ...config } });
  const deployment = await deploy(person, agent);
  const runner = suite.run({ HOME: home.path, SERVICE_AGENT_KEY: agent.key }, args);
  return { agent, deployment, runner, home: home.path };
}

const read = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;
const logsOf = async (id: string, filter = '') =>
  (await person.api.get(`/deployments/${id}/logs?limit=500${filter}`)).body as any[];

/** Waits until the service shows the deployment like that. */
function shows(id: string, expected: Record<string, unknown>) {
  return until(async () => {
    const deployment = await read(id);
    return Object.entries(expected).every(([name, value]) => deployment[name] === value) && deployment;
  });
}

const diaryOf = ({ home }: Stage): string[][] =>
  readFileSync(join(home, 'diary'), { encoding: 'utf8', flag: 'a+' })
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

/** The last process of a replica, or nothing before there was one. */
const pidOf = (on: Stage, index: number) =>
  Number(diaryOf(on).findLast(([what, replica]) => what === 'start' && replica === String(index))?.[2] ?? 0);

describe('A deployment as processes', () => {
  let on: Stage;

  it('becomes ready, and its processes get their identity but not the key', async () => {
    on = await stage(['diary', 'HOME/diary'], { env: { GREETING: 'ahoy' }, readiness: HAS_BEGUN });
    await shows(on.deployment, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
    const hello = await until(async () =>
      (await logsOf(on.deployment)).find(({ message }) => message === 'hello'),
    );
    expect(hello).toMatchObject({ level: 'info', metadata: { replica: 0 } });
    expect(hello.metadata.self).toEqual({
      AGENT_ID: on.agent.id,
      DEPLOYMENT_ID: on.deployment,
      GENERATION: '1',
      REPLICA_INDEX: '0',
      GREETING: 'ahoy',
      pid: pidOf(on, 0),
    });
  });

  it('scales up, and starts a killed replica again', async () => {
    await person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 3 });
    await shows(on.deployment, { status: 'ready', ready_replicas: 3, observed_generation: 2 });
    const killed = pidOf(on, 1);
    const before = on.runner.events.length;
    process.kill(killed, 'SIGKILL');
    // the deployment was ready before: the report is the runner's
    await on.runner.next('replica_ready', before);
    expect(pidOf(on, 1)).not.toBe(killed);
    await shows(on.deployment, { status: 'ready', ready_replicas: 3 });
    const { items } = (await person.api.get(`/deployments/${on.deployment}/events`)).body;
    const degraded = items.find(({ event_type: type }: any) => type === 'degraded');
    expect(degraded?.error_message ?? 'replica 1 was ended by SIGKILL').toContain(
      'replica 1 was ended by SIGKILL',
    );
    await until(async () =>
      (await logsOf(on.deployment)).some(({ message }) =>
        /^Replica 1: It was ended by SIGKILL.*starts again in 0\.1 s$/.test(message),
      ),
    );
  });

  it('replaces its replicas one after another in a rolling restart', async () => {
    const older = [0, 1, 2].map((index) => pidOf(on, index));
    await person.api.post(`/deployments/${on.deployment}/rolling-restart`);
    await shows(on.deployment, { status: 'ready', ready_replicas: 3, observed_generation: 3 });
    expect(older.filter(isRunning)).toEqual([]);
    // each ends only after the one that was started before it
    const steps = diaryOf(on)
      .slice(-6)
      .map(([what, index]) => `${what} ${index}`);
    expect(steps).toEqual(['end 0', 'start 0', 'end 1', 'start 1', 'end 2', 'start 2']);
    const { items } = (await person.api.get(`/deployments/${on.deployment}/events?limit=20`)).body;
    const types: string[] = items.map(({ event_type: type }: any) => type);
    // a report may come before a replica ends, while it starts, or when all are ready
    const since = types.slice(0, types.indexOf('restart')).reverse();
    expect(since.join(' ')).toMatch(/^((ready|degraded) )*ready$/);
  });

  it('scales down from the highest replica, and lets the replicas finish', async () => {
    const surplus = [pidOf(on, 1), pidOf(on, 2)];
    await person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 1 });
    await shows(on.deployment, { ready_replicas: 1, observed_generation: 4 });
    expect(surplus.filter(isRunning)).toEqual([]);
    expect(isRunning(pidOf(on, 0))).toBe(true);
    for (const pid of surplus)
      expect(diaryOf(on)).toContainEqual(['end', expect.any(String), String(pid), expect.any(String)]);
  });

  it('stops, starts again after a restart, and ends when it is deleted', async () => {
    const first = pidOf(on, 0);
    await person.api.post(`/agents/${on.agent.id}/stop`);
    await until(() => !isRunning(first));
    expect(diaryOf(on)).toContainEqual(['end', '0', String(first), expect.any(String)]);
    await person.api.post(`/deployments/${on.deployment}/restart`);
    await shows(on.deployment, { status: 'ready', observed_generation: 5 });
    const second = pidOf(on, 0);
    expect(second).not.toBe(first);
    await person.api.delete(`/deployments/${on.deployment}`);
    await until(() => !isRunning(second));
    const { body } = await person.api.get(`/deployments/${on.deployment}/commands`);
    await until(async () => {
      const commands: any[] = (await person.api.get(`/deployments/${on.deployment}/commands`)).body;
      return commands.every(({ state }) => state === 'succeeded');
    });
    expect(body.map(({ action }: any) => action)).toEqual([
      'kill',
      'restart',
      'stop',
      'scale',
      'restart',
      'scale',
      'deploy',
    ]);
  });
});

describe('A deployment that can not run', () => {
  it('fails without a command in its configuration, and names the missing key', async () => {
    const { deployment } = await stage([], { command: undefined });
    const failed = await shows(deployment, { status: 'failed' });
    expect(failed.error_message).toBe(
      'config has no command: write what to start, like {"command": ["node", "agent.js"]}',
    );
  });

  it('fails when its program does not exist, and the log says so', async () => {
    const { deployment } = await stage([], { command: ['/no/such/program'] });
    const failed = await shows(deployment, { status: 'failed' });
    expect(failed.error_message).toBe("/no/such/program can't be started (ENOENT: there is no such program)");
    const logged = await until(async () => {
      const logs: any[] = (await person.api.get(`/deployments/${deployment}/logs`)).body;
      return logs[0];
    });
    expect(logged).toMatchObject({
      level: 'error',
      message: failed.error_message,
      metadata: { source: 'runner' },
    });
  });

  it('fails after three crashes without readiness, with the last line of its output as the reason', async () => {
    // longer than any machine needs to start it and see it crash
    const { deployment, runner } = await stage([], {
      command: ['sh', '-c', 'echo no luck today >&2; exit 3'],
      readiness: { seconds: 600 },
    });
    const failed = await shows(deployment, { status: 'failed' });
    expect(failed.error_message).toBe(
      'Given up after 3 starts in a row: replica 0 ended with exit code 3: no luck today',
    );
    await runner.next('given_up');
    expect(runner.count('replica_started')).toBe(3);
    // each pause is twice as long
    const pauses = runner.events.flatMap(({ message }) => /again in (.*) s/.exec(message)?.[1] ?? []);
    expect(pauses).toEqual(['0.1', '0.2', '0.4']);
  });

  it('is killed with its child processes when it has not ended within its grace period', async () => {
    const { deployment, agent, runner } = await stage([], {
      command: ['sh', '-c', "trap '' TERM; (echo stubborn; sleep 600) & echo stubborn; sleep 600"],
      stop_grace_seconds: 0.3,
    });
    await shows(deployment, { status: 'ready' });
    await until(
      async () => (await logsOf(deployment)).filter(({ message }) => message === 'stubborn').length === 2,
    );
    const { message } = await runner.next('replica_started');
    const group = Number(/Process (\d+)/.exec(message)![1]);
    await person.api.post(`/agents/${agent.id}/stop`);
    await until(async () => {
      const [stop] = (await person.api.get(`/deployments/${deployment}/commands`)).body;
      return stop.action === 'stop' && stop.state === 'succeeded';
    });
    // none is at work any more; one that was killed may still be dying
    await until(async () => (await listProcesses()).every((it) => it.group !== group));
  });
});

describe('Readiness', () => {
  it('by port gives each replica its own port, and is reached when the replica listens there', async () => {
    // below the ports that systems give out by themselves
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    const { deployment } = await stage(['listen'], { readiness: { port, interval_seconds: 0.05 } });
    await shows(deployment, { status: 'ready' });
    await person.api.post(`/deployments/${deployment}/scale`, { replicas: 2 });
    await shows(deployment, { status: 'ready', ready_replicas: 2 });
  });

  it('by command is reached when the command succeeds, and is lost when it keeps failing', async () => {
    const home = suite.makeHome();
    const flag = join(home.path, 'flag');
    const readiness = { command: ['test', '-e', flag], interval_seconds: 0.05 };
    const { deployment, runner } = await stage([], { command: ['sleep', '1000'], readiness });
    await shows(deployment, { status: 'running', ready_replicas: 0 });
    writeFileSync(flag, '');
    await shows(deployment, { status: 'ready' });
    rmSync(flag);
    await shows(deployment, { status: 'running', ready_replicas: 0 });
    await runner.next('replica_unready');
    expect(runner.count('replica_started')).toBe(1);
  });
});

describe('The runner', () => {
  it('stores a flood of output without blocking the process', async () => {
    const { deployment } = await stage(['burst', '10000'], { readiness: { seconds: 0.1 } });
    // written after all the rest: it would never come, did anything hold the process up
    await until(
      async () =>
        (await logsOf(deployment, '&level=warning')).some(({ message }) => message === 'all written'),
      FLOOD_PATIENCE_MS,
    );
    const count = () =>
      suite.app.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM agent_logs WHERE deployment_id = $1 AND message LIKE 'xxx%'`,
        [deployment],
      );
    await until(async () => (await count())[0]!.count === 10_000, FLOOD_PATIENCE_MS);
  });

  it('measures the CPU and memory of a process tree', async () => {
    const spin = 'sh -c "while :; do :; done" & wait';
    const { deployment } = await stage([], { command: ['sh', '-c', spin] }, ['--metrics-interval', '1']);
    // the first one may come while they are still being started
    const metric = await until(async () => {
      const metrics: any[] = (await person.api.get(`/deployments/${deployment}/metrics`)).body;
      return metrics.find(
        ({ cpu_usage: cpu, custom }) => cpu > 1 && custom.ready_replicas === 1 && custom.processes === 2,
      );
    });
    expect(metric).toMatchObject({
      memory_usage: expect.any(Number),
      uptime_seconds: expect.any(Number),
      custom: { replicas: 1, ready_replicas: 1, restarts: 0, processes: 2 },
    });
    expect(metric.memory_usage).toBeGreaterThan(0.1);
  });
});
