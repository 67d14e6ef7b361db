import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AgentRuntime,
  type AgentRuntimeOptions,
  type DesiredState,
  type RuntimeEvent,
} from '@agent-control-plane/client/runtime';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { Gateway } from './gateway.js';

/** The library in this process, the real service, and a network between them that can be bad. */
const SETTINGS = { HEARTBEAT_INTERVAL_SECONDS: '1', COMMAND_LEASE_SECONDS: '1' };

let app: TestApp;
let person: Person;
let gateway: Gateway;
let agent: TestAgent;
let directory: string;
let applied: DesiredState[];
let events: RuntimeEvent[];
let runtimes: AgentRuntime[];

beforeAll(async () => {
  app = await startTestApp({ settings: SETTINGS });
  person = await registerPerson(app);
});

afterAll(() => app.close());

beforeEach(async () => {
  gateway = await Gateway.open(app.url);
  agent = await createAgent(app, person, { config: { greeting: 'ahoy' } });
  directory = mkdtempSync(join(tmpdir(), 'agent-runtime-'));
  [applied, events, runtimes] = [[], [], []];
});

afterEach(async () => {
  await Promise.all(runtimes.map((runtime) => runtime.stop(0)));
  await gateway.down();
  rmSync(directory, { recursive: true });
});

/** An agent that does all that is asked at once, unless the test says otherwise. */
function start(options: Partial<AgentRuntimeOptions> = {}): {
  runtime: AgentRuntime;
  over: Promise<unknown>;
} {
  const runtime: AgentRuntime = new AgentRuntime({
    baseUrl: gateway.url,
    key: agent.key,
    apply: async (desired) => {
      applied.push(desired);
      if (desired.phase === 'running')
        runtime.report(desired.deploymentId, { readyReplicas: desired.replicas });
      return { did: desired.cause };
    },
    stateDir: directory,
    onEvent: (event) => events.push(event),
    refusalPatienceMs: 300,
    ...options,
  });
  runtimes.push(runtime);
  const over = runtime.run().catch((error: unknown) => error);
  return { runtime, over };
}

const causes = () => applied.map(({ cause }) => cause);
const read = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;
const commandsOf = async (id: string) => (await person.api.get(`/deployments/${id}/commands`)).body as any[];
const shows = (id: string, status: string) => until(async () => (await read(id)).status === status);
const logs = async () => (await person.api.get(`/agents/${agent.id}/logs?limit=500`)).body as any[];

describe('An agent in this process', () => {
  it('is asked for states, one after another, and what it reports is shown', async () => {
    const id = await deploy(person, agent);
    start();
    await shows(id, 'ready');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
    await until(async () => (await read(id)).ready_replicas === 3);
    await person.api.post(`/agents/${agent.id}/stop`);
    await until(() => causes().includes('stop'));
    await person.api.post(`/deployments/${id}/restart`);
    await shows(id, 'ready');
    await person.api.delete(`/deployments/${id}`);
    await until(() => causes().includes('kill'));
    expect(applied).toMatchObject([
      { cause: 'deploy', generation: 1, startGeneration: 1, replicas: 1, config: { greeting: 'ahoy' } },
      { cause: 'scale', generation: 2, startGeneration: 1, replicas: 3 },
      { cause: 'stop', phase: 'stopped', replicas: 0 },
      { cause: 'restart', generation: 3, startGeneration: 3, replicas: 3 },
      { cause: 'kill', phase: 'killed', replicas: 0 },
    ]);
    expect((await commandsOf(id)).at(-1)).toMatchObject({ state: 'succeeded', result: { did: 'deploy' } });
  });

  it('fails a deployment when it can not do it, or gives it up later', async () => {
    const id = await deploy(person, agent);
    const { runtime } = start({
      apply: async ({ cause }) => {
        if (cause === 'deploy') throw new Error('no such model');
      },
    });
    await shows(id, 'failed');
    expect((await read(id)).error_message).toBe('no such model');
    await person.api.post(`/deployments/${id}/restart`);
    await until(async () => (await read(id)).observed_generation === 2);
    await runtime.fail(id, 'out of credit');
    await shows(id, 'failed');
    expect((await read(id)).error_message).toBe('out of credit');
  });
});

describe('A bad network', () => {
  it('a command that comes again while it is carried out, or after, is carried out once', async () => {
    // no acknowledgement arrives before it has come three times
    const deliveries = () => gateway.of('GET /agents/commands').filter(({ status }) => status === 200);
    gateway.treat = ({ path }) => {
      if (!path.endsWith('/acknowledge') || deliveries().length > 2) return 'pass';
      return { status: 503, headers: { 'retry-after': '1' } };
    };
    const id = await deploy(person, agent);
    start();
    await until(async () => (await commandsOf(id))[0].state === 'succeeded');
    expect((await commandsOf(id))[0].attempts).toBeGreaterThan(1);
    expect(causes()).toEqual(['deploy']);
    // `Retry-After` was obeyed each time
    const sent = gateway.of('POST /agents/commands/acknowledge');
    const refused = sent.filter(({ status }) => status === 503);
    expect(refused.filter(({ at }, index) => sent[index + 1]!.at - at < 990)).toEqual([]);
  });

  it('lost replies change nothing: the same is sent again until an answer comes', async () => {
    const lost = new Map<string, number>();
    gateway.treat = ({ path }) => {
      const route = path.split('?')[0]!;
      const count = (lost.get(route) ?? 0) + 1;
      lost.set(route, count);
      return count <= 2 && !route.endsWith('/commands') ? 'lose' : 'pass';
    };
    const id = await deploy(person, agent);
    start();
    await shows(id, 'ready');
    await until(async () => (await commandsOf(id))[0].state === 'succeeded');
    await until(() => gateway.of('POST /agents/commands/acknowledge').length >= 3);
    expect(causes()).toEqual(['deploy']);
  });

  it('what a proxy answers in the place of the service is no word of the service: not even a 401', async () => {
    let count = 0;
    const headers = { 'content-type': 'text/html' };
    const page = { status: 401, headers, body: '<h1>Sign in to the network</h1>' };
    const odd = { status: 200, headers, body: '<h1>Welcome</h1>' };
    gateway.treat = () => ((count += 1) > 4 ? 'pass' : count % 2 ? page : odd);
    const id = await deploy(person, agent);
    start();
    await shows(id, 'ready');
  });

  it('a refusal of what an agent can not live without is told, and tried again', async () => {
    let refusals = 0;
    gateway.treat = ({ path }) =>
      path.endsWith('/heartbeat') && (refusals += 1) <= 2 ? { status: 422 } : 'pass';
    const id = await deploy(person, agent);
    start();
    await shows(id, 'ready');
    expect(events.filter(({ event }) => event === 'refused')).toHaveLength(2);
  });
});

describe('The service away', () => {
  it('and back, another instance by then: the agent works on, and what it said in between arrives', async () => {
    const id = await deploy(person, agent);
    const { runtime } = start({ logBuffer: { entries: 50, bytes: 1_000_000 } });
    await shows(id, 'ready');
    // made before: the longer the service is away, the longer are the pauses of who waits for it
    const other = await startTestApp({ settings: SETTINGS, database: app.database });
    try {
      await gateway.down();
      for (let n = 1; n <= 80; n += 1)
        runtime.log({ level: 'info', message: `line ${n}`, deployment_id: id });
      await until(() => events.some(({ event }) => event === 'service_lost'));
      await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
      gateway.target = other.url;
      await gateway.up();
      await until(() => events.some(({ event }) => event === 'service_back'));
      await until(async () => (await read(id)).ready_replicas === 2);
      const messages = await until(async () => {
        const found = (await logs()).map(({ message }) => message as string).reverse();
        return found.includes('line 80') && found;
      });
      // the oldest went, and it says so in their place
      const dropped = messages.findIndex((it) => it.includes('log lines dropped: more waited'));
      const kept = messages.filter((it) => it.startsWith('line '));
      expect(Number.parseInt(messages[dropped]!)).toBe(80 - kept.length);
      expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => `line ${80 - kept.length + n + 1}`));
      expect(kept.length).toBeGreaterThanOrEqual(50);
    } finally {
      await gateway.down();
      await other.close();
    }
  });

  it('while a result is untold: it is told by the next process, and nothing is done twice', async () => {
    gateway.treat = ({ path }) => (path.endsWith('/acknowledge') ? { status: 502 } : 'pass');
    const id = await deploy(person, agent);
    const { runtime } = start();
    await until(() => gateway.of('POST /agents/commands/acknowledge').length > 0);
    await runtime.stop(0);
    gateway.treat = () => 'pass';
    start();
    await until(async () => (await commandsOf(id))[0].state === 'succeeded');
    // the new process brings its work up again, as it must, and takes no command twice
    await until(() => causes().length > 1);
    expect(causes()).toEqual(['deploy', 'resume']);
  });

  it('at the start: what ran before runs again without it', async () => {
    const id = await deploy(person, agent);
    const { runtime } = start();
    await shows(id, 'ready');
    await runtime.stop();
    await gateway.down();
    start();
    await until(() => causes().at(-1) === 'resume');
    expect(applied.at(-1)).toMatchObject({ deploymentId: id, generation: 1, config: { greeting: 'ahoy' } });
  });
});

describe('The key', () => {
  it('refused for good ends the agent, with its work, and nothing more is sent', async () => {
    const id = await deploy(person, agent);
    let ended = 0;
    const { over } = start({ end: async () => void (ended += 1) });
    await shows(id, 'ready');
    const { body: keys } = await person.api.get('/api-keys');
    await person.api.delete(`/api-keys/${keys.find((key: any) => key.agent_id === agent.id).id}`);
    expect(await over).toMatchObject({ name: 'KeyRefusedError' });
    expect(ended).toBe(1);
    // whatever was on its way before has arrived when this has
    await fetch(`${gateway.url}/health`);
    const calls = gateway.calls.length;
    await fetch(`${gateway.url}/health`);
    expect(gateway.calls.slice(calls).map(({ path }) => path)).toEqual(['/health']);
  });

  it('refused once is no reason to end', async () => {
    let refused = false;
    gateway.treat = () => (refused ? 'pass' : ((refused = true), { status: 401 }));
    const id = await deploy(person, agent);
    start();
    await shows(id, 'ready');
  });
});

describe('What the service and the agent know of each other', () => {
  it('a deployment that nothing here knows of is failed, and says what to do', async () => {
    const id = await deploy(person, agent);
    const { runtime } = start({ stateDir: undefined });
    await shows(id, 'ready');
    await runtime.stop();
    start({ stateDir: undefined });
    await shows(id, 'failed');
    expect((await read(id)).error_message).toContain('restart it to run it here');
    await person.api.post(`/deployments/${id}/restart`);
    await shows(id, 'ready');
  });

  it('one that was stopped, of which no command tells, is ended all the same', async () => {
    const id = await deploy(person, agent);
    const { runtime } = start();
    await shows(id, 'ready');
    await runtime.stop();
    await person.api.post(`/agents/${agent.id}/stop`);
    await app.database.query(
      `UPDATE commands SET state = 'dead', settled_at = now() WHERE deployment_id = $1 AND settled_at IS NULL`,
      [id],
    );
    start();
    await until(() => causes().at(-1) === 'stop');
  });
});
