import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { AgentStage } from './agent-stage.js';

/** The library in this process, the real service, and a gateway between them that can misbehave. */
const SETTINGS = { HEARTBEAT_INTERVAL_SECONDS: '1', COMMAND_LEASE_SECONDS: '1' };
/** Time limit for repetitions after pauses that grow to half a minute each, with jitter. */
const PAUSES_PATIENCE_MS = 100_000;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: SETTINGS });
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** A test with a separate stage: all of them wait for pauses, so they run concurrently. */
function itOnStage(title: string, test: (on: AgentStage) => Promise<void>): void {
  it.concurrent(title, async () => {
    const on = await AgentStage.open(app, person);
    try {
      await test(on);
    } finally {
      await on.close();
    }
  });
}

const read = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;
const commandsOf = async (id: string) => (await person.api.get(`/deployments/${id}/commands`)).body as any[];
const shows = (id: string, status: string) => until(async () => (await read(id)).status === status);

describe('An agent in this process', () => {
  itOnStage(
    'applies the desired states one after another, and its reports appear in the deployment',
    async (on) => {
      const id = await on.deploy();
      on.start();
      await shows(id, 'ready');
      await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
      await until(async () => (await read(id)).ready_replicas === 3);
      await person.api.post(`/agents/${on.agent.id}/stop`);
      await until(() => on.causes().includes('stop'));
      await person.api.post(`/deployments/${id}/restart`);
      await shows(id, 'ready');
      await person.api.delete(`/deployments/${id}`);
      await until(() => on.causes().includes('kill'));
      expect(on.applied).toMatchObject([
        { cause: 'deploy', generation: 1, startGeneration: 1, replicas: 1, config: { greeting: 'ahoy' } },
        { cause: 'scale', generation: 2, startGeneration: 1, replicas: 3 },
        { cause: 'stop', phase: 'stopped', replicas: 0 },
        { cause: 'restart', generation: 3, startGeneration: 3, replicas: 3 },
        { cause: 'kill', phase: 'killed', replicas: 0 },
      ]);
      expect((await commandsOf(id)).at(-1)).toMatchObject({ state: 'succeeded', result: { did: 'deploy' } });
    },
  );

  itOnStage('reports what to upgrade when a heartbeat is answered with advice', async (on) => {
    on.start();
    await until(() => on.events.some(({ event }) => event === 'registered'));
    // as after an upgrade of the service, which takes this protocol no more
    await app.database.query(`UPDATE agents SET runtime = runtime || '{"protocol": 0}' WHERE id = $1`, [
      on.agent.id,
    ]);
    const advice = () => on.events.filter(({ event }) => event === 'upgrade');
    await until(() => advice().length > 0);
    expect(advice()[0]!.message).toContain('speaks protocol 0');
  });

  itOnStage('acknowledges a command without its result when the service refuses the result', async (on) => {
    on.gateway.treat = ({ path, body }) =>
      path.endsWith('/acknowledge') && 'result' in body ? { status: 413 } : 'pass';
    const id = await on.deploy();
    on.start();
    await until(async () => (await commandsOf(id))[0].state === 'succeeded');
    expect((await commandsOf(id))[0]).toMatchObject({ result: null });
  });

  itOnStage('fails a deployment when it can not apply it, or when it gives up later', async (on) => {
    const id = await on.deploy();
    const { runtime } = on.start({
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

  itOnStage(
    'stops a deployment when its work is completed, and knows that after its own restart',
    async (on) => {
      const id = await on.deploy();
      const { runtime } = on.start();
      await until(async () => (await read(id)).observed_generation === 1);
      await runtime.complete(id, 1);
      await shows(id, 'stopped');
      expect((await read(id)).status_source).toBe('agent');
      expect(runtime.runningDeployments).toEqual([]);
    },
  );
});

describe('An agent behind a bad network', () => {
  itOnStage(
    'carries out a command once if the command is delivered again, during its execution or after',
    async (on) => {
      // no acknowledgement is accepted before the third delivery
      const deliveries = () => on.gateway.of('GET /agents/commands').filter(({ status }) => status === 200);
      on.gateway.treat = ({ path }) => {
        if (!path.endsWith('/acknowledge') || deliveries().length > 2) return 'pass';
        return { status: 503, headers: { 'retry-after': '1' } };
      };
      const id = await on.deploy();
      on.start();
      await until(async () => (await commandsOf(id))[0].state === 'succeeded', PAUSES_PATIENCE_MS);
      expect((await commandsOf(id))[0].attempts).toBeGreaterThan(1);
      expect(on.causes()).toEqual(['deploy']);
      // `Retry-After` was obeyed each time
      const sent = on.gateway.of('POST /agents/commands/acknowledge');
      const refused = sent.filter(({ status }) => status === 503);
      expect(refused.filter(({ at }, index) => sent[index + 1]!.at - at < 990)).toEqual([]);
    },
  );

  itOnStage(
    'sends the same request again after a lost reply until an answer comes, and works as usual',
    async (on) => {
      const lost = new Map<string, number>();
      on.gateway.treat = ({ path }) => {
        const route = path.split('?')[0]!;
        const count = (lost.get(route) ?? 0) + 1;
        lost.set(route, count);
        return count <= 2 && !route.endsWith('/commands') ? 'lose' : 'pass';
      };
      const id = await on.deploy();
      on.start();
      await shows(id, 'ready');
      await until(async () => (await commandsOf(id))[0].state === 'succeeded');
      await until(() => on.gateway.of('POST /agents/commands/acknowledge').length >= 3);
      expect(on.causes()).toEqual(['deploy']);
    },
  );

  itOnStage('keeps its log lines when an ingress answers 404 or a page in JSON', async (on) => {
    const headers = { 'x-request-id': 'of-the-ingress' };
    const pages = [404, 405, 200].map((status) => ({
      status,
      headers,
      body: { message: 'default backend' },
    }));
    on.gateway.treat = ({ path }) => (path.endsWith('/logs') ? pages.shift() : undefined) ?? 'pass';
    const { runtime } = on.start();
    runtime.log({ level: 'info', message: 'a line' });
    const [line] = await until(async () => (await on.logs()).length > 0 && on.logs(), PAUSES_PATIENCE_MS);
    expect(line.message).toBe('a line');
    expect(on.events.filter(({ event }) => event === 'entry_refused')).toEqual([]);
  });

  itOnStage(
    'reports a replacement character for half an emoji, which a truncated text may end with',
    async (on) => {
      const id = await on.deploy();
      const { runtime } = on.start();
      await shows(id, 'ready');
      const at = new Date().toISOString();
      runtime.report(id, { readyReplicas: 1, lastExit: { at, code: 1, message: 'cut \ud83d' } });
      await until(async () => (await read(id)).last_exit?.message === 'cut \ufffd');
    },
  );

  itOnStage('reports the refusal of a heartbeat as an event, and sends heartbeats again', async (on) => {
    let refusals = 0;
    on.gateway.treat = ({ path }) =>
      path.endsWith('/heartbeat') && (refusals += 1) <= 2 ? { status: 422 } : 'pass';
    const id = await on.deploy();
    on.start();
    await shows(id, 'ready');
    expect(on.events.filter(({ event }) => event === 'refused')).toHaveLength(2);
  });
});

describe('An agent whose service is down', () => {
  itOnStage('works on, and delivers its logs and reports when another instance is up', async (on) => {
    const id = await on.deploy();
    const { runtime } = on.start({ logBuffer: { entries: 50, bytes: 1_000_000 } });
    await shows(id, 'ready');
    // started before: the longer the outage, the longer are the pauses
    const other = await startTestApp({ settings: SETTINGS, database: app.database });
    try {
      await on.gateway.down();
      for (let n = 1; n <= 80; n += 1)
        runtime.log({ level: 'info', message: `line ${n}`, deployment_id: id });
      await until(() => on.events.some(({ event }) => event === 'service_lost'));
      await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
      on.gateway.target = other.url;
      await on.gateway.up();
      await until(() => on.events.some(({ event }) => event === 'service_back'));
      await until(async () => (await read(id)).ready_replicas === 2);
      const messages = await until(async () => {
        const found = (await on.logs()).map(({ message }) => message as string).reverse();
        return found.includes('line 80') && found;
      });
      // the oldest lines were dropped, and a line reports it
      const dropped = messages.findIndex((it) => it.includes('log lines dropped: more waited'));
      const kept = messages.filter((it) => it.startsWith('line '));
      expect(Number.parseInt(messages[dropped]!)).toBe(80 - kept.length);
      expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => `line ${80 - kept.length + n + 1}`));
      expect(kept.length).toBeGreaterThanOrEqual(50);
    } finally {
      await on.gateway.down();
      await other.close();
    }
  });

  itOnStage('reports an unsent result from its next process, which carries out nothing twice', async (on) => {
    on.gateway.treat = ({ path }) => (path.endsWith('/acknowledge') ? { status: 502 } : 'pass');
    const id = await on.deploy();
    const { runtime } = on.start();
    await until(() => on.gateway.of('POST /agents/commands/acknowledge').length > 0);
    await runtime.stop(0);
    on.gateway.treat = () => 'pass';
    on.start();
    await until(async () => (await commandsOf(id))[0].state === 'succeeded');
    // the new process resumes its work and carries out no command twice
    await until(() => on.causes().length > 1);
    expect(on.causes()).toEqual(['deploy', 'resume']);
  });

  itOnStage('starts its earlier deployments again before it has reached the service', async (on) => {
    const id = await on.deploy();
    const { runtime } = on.start();
    await shows(id, 'ready');
    await runtime.stop();
    await on.gateway.down();
    on.start();
    await until(() => on.causes().at(-1) === 'resume');
    expect(on.applied.at(-1)).toMatchObject({
      deploymentId: id,
      generation: 1,
      config: { greeting: 'ahoy' },
    });
  });
});

describe('A difference between the service and the agent', () => {
  itOnStage(
    'fails a deployment that the agent does not know, with a message that says what to do',
    async (on) => {
      const id = await on.deploy();
      const { runtime } = on.start({ stateDir: undefined });
      await shows(id, 'ready');
      await runtime.stop();
      on.start({ stateDir: undefined });
      await shows(id, 'failed');
      expect((await read(id)).error_message).toContain('restart it to run it here');
      await person.api.post(`/deployments/${id}/restart`);
      await shows(id, 'ready');
    },
  );

  itOnStage('ends a deployment that was stopped, even if its command was lost', async (on) => {
    const id = await on.deploy();
    const { runtime } = on.start();
    await shows(id, 'ready');
    await runtime.stop();
    await person.api.post(`/agents/${on.agent.id}/stop`);
    await app.database.query(
      `UPDATE commands SET state = 'dead', settled_at = now() WHERE deployment_id = $1 AND settled_at IS NULL`,
      [id],
    );
    on.start();
    await until(() => on.causes().at(-1) === 'stop');
  });
});
