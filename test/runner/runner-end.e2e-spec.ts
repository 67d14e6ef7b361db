import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import { until } from '../harness/until.js';
import type { Runner } from './runner.js';
import { isRunning, type RunnerProcess } from './runner-process.js';
import { FIXTURE, RunnerSuite } from './runner-suite.js';

/** Processes of a runner that ends: by a signal, a crash, or a refusal. */
let suite: RunnerSuite;
let person: Person;

beforeAll(async () => {
  suite = await RunnerSuite.open();
  person = suite.person;
});

afterAll(() => suite.close());

class Stage {
  readonly home = suite.makeHome();

  constructor(
    readonly agent: TestAgent,
    readonly deployment: string,
  ) {}

  run(args: readonly string[] = [], variables: Record<string, string> = {}): Runner {
    return suite.run({ ...this.variables, ...variables }, args);
  }

  runProcess(): RunnerProcess {
    return suite.runProcess(this.variables);
  }

  private get variables() {
    return { HOME: this.home.path, SERVICE_AGENT_KEY: this.agent.key };
  }

  get stateDir(): string {
    return join(this.home.path, '.svc', 'run', this.agent.id);
  }

  /** Process ids that were recorded as running. */
  pids(): number[] {
    const text = readFileSync(join(this.stateDir, 'processes.json'), 'utf8');
    const { processes } = JSON.parse(text || '{"processes": []}');
    return processes.map(({ pid }: { pid: number }) => pid).sort();
  }
}

async function stage(task: readonly string[] = [], config: object = {}): Promise<Stage> {
  const command = task.length === 0 ? ['sleep', '1000'] : [process.execPath, FIXTURE, ...task];
  const quick = { command, readiness: { seconds: 0.1 }, stop_grace_seconds: 5, ...config };
  const agent = await createAgent(suite.app, person, { config: quick });
  return new Stage(agent, await deploy(person, agent));
}

/** Two replicas that wait for SIGUSR2, and whose runner was killed. */
async function orphans(): Promise<Stage> {
  const on = await stage(['countWhenTold', '50']);
  const runner = on.runProcess();
  await shows(on, READY);
  await person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 2 });
  await shows(on, { status: 'ready', ready_replicas: 2, observed_generation: 2 });
  await until(async () => (await messagesOf(on)).filter((it) => it === 'listening').length === 2);
  await runner.end('SIGKILL');
  return on;
}

/** Ready in the observed generation, so that the processes are in the records. */
const READY = { status: 'ready', observed_generation: 1 };

function shows({ deployment: id }: Stage, expected: Record<string, unknown>) {
  return until(async () => {
    const { body } = await person.api.get(`/deployments/${id}`);
    return Object.entries(expected).every(([name, value]) => body[name] === value) && body;
  });
}

const messagesOf = async ({ deployment }: Stage) =>
  ((await person.api.get(`/deployments/${deployment}/logs?limit=500`)).body as any[]).map(
    ({ message }) => message,
  );

/** The numbers of the lines that a replica has said. */
async function linesOf({ deployment }: Stage, replica: number): Promise<number[]> {
  const rows = await suite.app.database.query<{ line: number }>(
    `SELECT substring(message FROM '\\d+')::int AS line FROM agent_logs
     WHERE deployment_id = $1 AND message ~ '^line \\d+$' AND metadata->'replica' = $2 ORDER BY line`,
    [deployment, JSON.stringify(replica)],
  );
  return rows.map(({ line }) => line);
}

describe('A runner that was killed', () => {
  it('leaves its processes running, and the next runner adopts them without a second start or a lost line', async () => {
    const on = await orphans();
    const before = on.pids();
    expect(before.map(isRunning)).toEqual([true, true]);
    // they begin to write while nobody reads
    for (const pid of before) process.kill(pid, 'SIGUSR2');
    const next = on.run();
    // the deployment was ready all along: the report is the runner's
    await until(() => next.count('replica_adopted') === 2 && next.count('replica_ready') === 2);
    await shows(on, { status: 'ready', ready_replicas: 2 });
    expect(on.pids()).toEqual(before);
    for (const replica of [0, 1]) {
      const lines = await until(async () => {
        const found = await linesOf(on, replica);
        return found.length > 30 && found;
      });
      expect(lines).toEqual(lines.map((_, index) => index + 1));
    }

    // an adopted one that dies is replaced like any other
    const seen = next.events.length;
    process.kill(before[0]!, 'SIGKILL');
    await next.next('replica_ready', seen);
    await until(() => !on.pids().includes(before[0]!) && on.pids().length === 2);
    await shows(on, { ready_replicas: 2 });
    expect(await next.end()).toBe(0);
    expect(before.filter(isRunning)).toEqual([]);
  });

  it('may leave processes without a record, which the next runner finds and ends', async () => {
    const on = await orphans();
    const strays = on.pids();

    writeFileSync(join(on.stateDir, 'processes.json'), '');
    const next = on.run();
    await until(() => next.count('replica_ready') === 2 && on.pids().length === 2);
    await shows(on, { ready_replicas: 2 });
    // they were killed; how long it takes to die is the machine's business
    await until(() => !strays.some(isRunning));
    expect(on.pids().filter((pid) => strays.includes(pid))).toEqual([]);
    expect(await next.end()).toBe(0);
  });

  it('may leave a process id that another program has now, which the next runner does not touch', async () => {
    const on = await orphans();
    const stranger = process.pid;
    const file = join(on.stateDir, 'processes.json');
    const records = JSON.parse(readFileSync(file, 'utf8'));
    const [first] = records.processes;
    process.kill(-first.pid, 'SIGKILL');
    first.pid = stranger;

    writeFileSync(file, JSON.stringify(records));
    const next = on.run();
    await until(() => next.count('replica_ready') === 2);
    await shows(on, { ready_replicas: 2 });
    expect(await next.end()).toBe(0);
    // had it been taken for a replica, this test would not be here any more
    expect(isRunning(stranger)).toBe(true);
  });
});

describe('A runner that gets a signal to end', () => {
  it('ends its processes, reports no ready replica, sends their last log lines, and starts them again in its next run', async () => {
    const on = await stage(['diary', '/dev/null']);
    const runner = on.runProcess();
    await shows(on, READY);
    await until(async () => (await messagesOf(on)).includes('hello'));
    const [pid] = on.pids();
    expect(await runner.end('SIGTERM')).toBe(0);
    expect(isRunning(pid!)).toBe(false);
    expect(await messagesOf(on)).toContain('good bye');
    await shows(on, { status: 'running', ready_replicas: 0 });
    expect(readdirSync(join(on.stateDir, 'pipes'))).toEqual([]);

    const next = on.runProcess();
    await shows(on, { status: 'ready' });
    expect(await next.end('SIGINT')).toBe(0);
  });

  it('ends without the grace period of its processes when it gets a second signal', async () => {
    const on = await stage(['stubborn'], { stop_grace_seconds: 100 });
    const runner = on.runProcess();
    await shows(on, READY);
    await until(async () => (await messagesOf(on)).includes('stubborn'));
    const [pid] = on.pids();
    runner.process.kill('SIGTERM');
    await runner.next('ending');
    expect(await runner.end('SIGTERM')).toBe(0);
    expect(isRunning(pid!)).toBe(false);
  });
});

describe('svc run', () => {
  it('exits with 1 while another runner of the same agent runs', async () => {
    const on = await stage();
    const runner = on.run();
    await runner.next('registered');
    const second = on.run();
    expect(await second.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`^Error: Process ${process.pid} on .* runs this agent already`),
    });
    expect(await runner.end()).toBe(0);
    // and with a directory of another agent it does not start either
    const other = await stage();
    const third = other.run(['--state-dir', on.stateDir]);
    expect(await third.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('holds the state of agent'),
    });
  });

  it('ends its processes and exits with 3 when the key is revoked', async () => {
    const on = await stage();
    const runner = on.run();
    await shows(on, READY);
    const [pid] = on.pids();
    const { body: keys } = await person.api.get('/api-keys');
    const key = keys.find(({ agent_id: agentId }: any) => agentId === on.agent.id);
    await person.api.delete(`/api-keys/${key.id}`);
    expect(await runner.ended()).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^Error: The agent's key is refused for good.*svc api-keys create/),
    });
    expect(isRunning(pid!)).toBe(false);
  });

  it('exits with 2 without a key', async () => {
    const on = await stage();
    const runner = on.run([], { SERVICE_AGENT_KEY: '' });
    expect(await runner.ended()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Give the agent: --agent with its name'),
    });
  });
});

describe('The key of svc run', () => {
  it('is the first line of its file, which no message contains if it is invalid', async () => {
    const home = suite.makeHome();
    const file = join(home.path, 'key');
    writeFileSync(file, 'a key that is none\nsecond line\n');
    const refused = await suite.run({ HOME: home.path }, ['--key-file', file]).ended();
    expect(refused.stderr).toContain(`The first line of ${file} is not a key`);
    expect(refused.stderr).not.toContain('that is none');
    const agent = await createAgent(suite.app, person);
    writeFileSync(file, `${agent.key}\r\n# of the agent\n`);
    const runner = suite.run({ HOME: home.path }, ['--key-file', file]);
    await runner.next('registered');
    expect(await runner.end()).toBe(0);
  });

  it('is read from its file again after each replacement', async () => {
    const on = await stage();
    const file = join(on.home.path, 'key');

    writeFileSync(file, `${on.agent.key}\n`);
    const runner = on.run(['--key-file', file], { SERVICE_AGENT_KEY: '' });
    await shows(on, { status: 'ready' });
    const { body: keys } = await person.api.get('/api-keys');
    const old = keys.find(({ agent_id: agentId }: any) => agentId === on.agent.id);
    const fresh = (await person.api.post(`/api-keys/${old.id}/rotate`)).body.key;
    writeFileSync(file, `${fresh}\n`);
    await person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 2 });
    await shows(on, { status: 'ready', ready_replicas: 2 });
    expect(await runner.end()).toBe(0);
  });

  it('is created with the login of svc, stored, and used by the next run', async () => {
    const on = await stage();

    mkdirSync(join(on.home.path, '.svc'), { mode: 0o700 });
    const login = { api_url: suite.app.url, api_key: person.accessToken, refresh_token: person.refreshToken };
    writeFileSync(
      join(on.home.path, '.svc', 'config.json'),
      JSON.stringify({ ...login, issued_by: suite.app.url }),
    );
    const without = { SERVICE_AGENT_KEY: '', SERVICE_API_URL: '' };
    const runner = on.run(['--agent', on.agent.id], without);
    await shows(on, { status: 'ready' });
    expect(await runner.end()).toBe(0);
    const keyFile = join(on.stateDir, 'key');
    const key = readFileSync(keyFile, 'utf8');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);

    // by the beginning of its id, too, as everywhere
    const again = on.run(['--agent', on.agent.id.slice(0, -1)], without);
    await again.next('replica_ready');
    await shows(on, { status: 'ready' });
    expect(await again.end()).toBe(0);
    expect(readFileSync(keyFile, 'utf8')).toBe(key);
  });
});
