import { randomUUID } from 'node:crypto';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { until } from './harness/until.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});
beforeEach(async () => {
  agent = await createAgent(app, person);
});
afterAll(() => app.close());

const line = { level: 'info', message: 'hello' };

async function read(kind: 'logs' | 'metrics', of = agent) {
  return (await person.api.get(`/agents/${of.id}/${kind}?limit=500`)).body;
}

describe('Log entries', () => {
  it('are stored one by one', async () => {
    const timestamp = new Date(Date.now() - 3_600_000).toISOString();
    const reply = await agent.runtime.post('/agents/logs', {
      level: 'WARN',
      message: 'slow',
      metadata: { took_ms: 2350 },
      timestamp,
      something_newer: true,
    });
    expect(reply).toMatchObject({ status: 200, body: { status: 'ok', agent_id: agent.id, accepted: 1 } });
    expect(await read('logs')).toEqual([
      {
        id: expect.any(String),
        agent_id: agent.id,
        deployment_id: null,
        run_id: null,
        level: 'warning',
        message: 'slow',
        metadata: { took_ms: 2350 },
        timestamp,
      },
    ]);
  });

  it('are stored in batches, in the order of the batch', async () => {
    const logs = Array.from({ length: 1_000 }, (_, index) => ({ ...line, message: `line ${index}` }));
    const reply = await agent.runtime.post('/agents/logs', { logs });
    expect(reply).toMatchObject({ status: 200, body: { accepted: 1_000 } });
    const newest = await read('logs');
    expect(newest.map(({ message }: { message: string }) => message)).toEqual(
      logs
        .map(({ message }) => message)
        .slice(-500)
        .reverse(),
    );
  });

  it('may be an empty batch', async () => {
    expect(await agent.runtime.post('/agents/logs', { logs: [] })).toMatchObject({
      status: 200,
      body: { accepted: 0 },
    });
  });

  it('are refused when there are more than 1,000', async () => {
    const reply = await agent.runtime.post('/agents/logs', { logs: Array(1_001).fill(line) });
    expect(reply).toMatchObject({
      status: 422,
      body: { message: ['logs must have at most 1000 entries'] },
    });
    expect(await read('logs')).toEqual([]);
  });

  it('are stored all together or not at all', async () => {
    const reply = await agent.runtime.post('/agents/logs', { logs: [line, { level: 'loud' }] });
    expect(reply.status).toBe(422);
    expect(reply.body.message).toEqual([
      'logs.1.level must be one of debug, info, warning, error, critical',
      'logs.1.message must be a string',
    ]);
    expect(await read('logs')).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['an array', JSON.stringify([line])],
    ['a batch that is none', '{"logs": "text"}'],
    ['from the year 0', JSON.stringify({ ...line, timestamp: '0000-01-01T00:00:00Z' })],
  ])('are refused when they are %s', async (_, raw) => {
    const reply = await agent.runtime.post('/agents/logs', undefined, { raw });
    expect(reply).toMatchObject({ status: 422, body: { statusCode: 422, detail: expect.any(String) } });
  });

  it('may contain characters that PostgreSQL can not store', async () => {
    const raw = String.raw`{"level": "info", "message": "a\u0000b\ud800c", "metadata": {"k\u0000": "\u0000"}}`;
    expect((await agent.runtime.post('/agents/logs', undefined, { raw })).status).toBe(200);
    expect(await read('logs')).toMatchObject([
      { message: 'a\uFFFDb\uFFFDc', metadata: { 'k\uFFFD': '\uFFFD' } },
    ]);
  });

  it('are cut when they are too long', async () => {
    expect((await agent.runtime.post('/agents/logs', { ...line, message: 'x'.repeat(70_000) })).status).toBe(
      200,
    );
    const [log] = await read('logs');
    expect(Buffer.byteLength(log.message)).toBe(64 * 1024);
    expect(log.message.slice(-14)).toBe('xx…[truncated]');
  });
});

describe('The time of an entry', () => {
  it('is UTC when it has no time zone', async () => {
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await agent.runtime.post('/agents/logs', { ...line, timestamp: `${day}T11:00:00` });
    await agent.runtime.post('/agents/logs', { ...line, timestamp: `${day}T12:00:00+02:00` });
    expect(await read('logs')).toMatchObject([
      { timestamp: `${day}T11:00:00.000Z` },
      { timestamp: `${day}T10:00:00.000Z` },
    ]);
  });

  it("is the service's when the agent's clock is ahead, and the agent's when it is behind", async () => {
    const hour = 3_600_000;
    const before = Date.now();
    const [ahead, slightlyAhead, behind] = [hour, 240_000, -hour].map((ms) =>
      new Date(before + ms).toISOString(),
    );
    await agent.runtime.post('/agents/metrics', {
      metrics: [{ timestamp: ahead }, { timestamp: slightlyAhead }, { timestamp: behind }, {}],
    });
    const [first, second, third, last] = (await read('metrics')).map(
      ({ timestamp }: { timestamp: string }) => timestamp,
    );
    expect([first, last]).toEqual([slightlyAhead, behind]);
    expect(second).toBe(third);
    expect(Date.parse(second)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(second)).toBeLessThanOrEqual(Date.now());
  });
});

describe('Measurements', () => {
  it('are stored one by one and returned unchanged', async () => {
    const measured = {
      cpu_usage: 12.5,
      memory_usage: 0,
      uptime_seconds: 86_400.25,
      requests_processed: 2 ** 53 - 1,
      errors_count: 0,
      custom: { queue: { length: 7 } },
    };
    const reply = await agent.runtime.post('/agents/metrics', { ...measured, gpu_usage: 3 });
    expect(reply).toMatchObject({ status: 200, body: { status: 'ok', agent_id: agent.id, accepted: 1 } });
    const [metric, ...others] = await read('metrics');
    expect(others).toEqual([]);
    expect(metric).toEqual({
      id: expect.any(String),
      agent_id: agent.id,
      deployment_id: null,
      run_id: null,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ...measured,
    });
  });

  it('are stored in batches, with null for absent values', async () => {
    const metrics = Array.from({ length: 1_000 }, (_, index) => ({ requests_processed: index }));
    expect(await agent.runtime.post('/agents/metrics', { metrics })).toMatchObject({
      status: 200,
      body: { accepted: 1_000 },
    });
    expect((await read('metrics'))[0]).toMatchObject({
      requests_processed: 999,
      cpu_usage: null,
      custom: null,
    });
    expect((await agent.runtime.post('/agents/metrics', { metrics: [...metrics, {}] })).status).toBe(422);
  });

  it('are refused when they are negative or no finite number', async () => {
    const raw =
      '{"metrics": [{"cpu_usage": 1}, {"cpu_usage": 1e999, "errors_count": -1, "memory_usage": "1"}]}';
    const reply = await agent.runtime.post('/agents/metrics', undefined, { raw });
    expect(reply.status).toBe(422);
    expect(reply.body.message).toEqual([
      'metrics.1.cpu_usage must be a finite number that is not negative',
      'metrics.1.memory_usage must be a finite number that is not negative',
      'metrics.1.errors_count must be a whole number from 0 to 9007199254740991',
    ]);
  });
});

describe('The agent of an entry', () => {
  it("is the key's agent", async () => {
    const other = await createAgent(app, person);
    for (const body of [
      { agent_id: other.id, ...line },
      { agent_id: other.id, logs: [line] },
      { logs: [line, { agent_id: other.id, ...line }] },
    ]) {
      const reply = await agent.runtime.post('/agents/logs', body);
      expect(reply).toMatchObject({ status: 403, body: { message: 'Agent ID mismatch' } });
    }
    expect(await read('logs', other)).toEqual([]);
    expect(
      (await agent.runtime.post('/agents/logs', { agent_id: agent.id.toUpperCase(), ...line })).status,
    ).toBe(200);
  });

  it('is unknown without an agent key, so the entry is refused', async () => {
    for (const api of [app.api, person.api]) {
      expect((await api.post('/agents/logs', line)).status).toBe(401);
      expect((await api.post('/agents/metrics', {})).status).toBe(401);
    }
  });

  it.each([
    ['logs', line],
    ['metrics', { cpu_usage: 1 }],
    ['logs', { level: 'loud' }],
  ])('is online after POST /agents/%s %j', async (kind, body) => {
    const seen = 'SELECT last_seen_at FROM agent_presence WHERE agent_id = $1';
    expect(await app.database.query(seen, [agent.id])).toEqual([{ last_seen_at: null }]);
    await agent.runtime.post(`/agents/${kind}`, body);
    await until(async () => (await app.database.query(seen, [agent.id]))[0]?.last_seen_at);
  });
});

describe('The deployment of an entry', () => {
  const deploymentsOf = (rows: { deployment_id: string }[]) => rows.map(({ deployment_id }) => deployment_id);

  it("is the agent's only active one when the entry names none", async () => {
    await agent.runtime.post('/agents/metrics', {});
    const first = await deploy(person, agent);
    await agent.runtime.post('/agents/metrics', {});
    await deploy(person, agent);
    await agent.runtime.post('/agents/metrics', {});
    expect(deploymentsOf(await read('metrics'))).toEqual([null, first, null]);
  });

  it('is the one that the entry names', async () => {
    const [stopped, active] = [await deploy(person, agent), await deploy(person, agent)];
    await person.api.delete(`/deployments/${stopped}`);
    const logs = [
      { ...line, deployment_id: stopped.toUpperCase() },
      line,
      { ...line, deployment_id: active },
    ];
    expect((await agent.runtime.post('/agents/logs', { logs })).status).toBe(200);
    expect(deploymentsOf(await read('logs'))).toEqual([active, active, stopped]);
  });

  it('is refused like an unknown one when it belongs to another agent', async () => {
    const own = await deploy(person, agent);
    const foreign = await deploy(person, await createAgent(app, person));
    const rule = 'deployment_id must be a deployment of this agent';
    const batch = [own, foreign, own, randomUUID()].map((deployment_id) => ({ ...line, deployment_id }));
    expect(await agent.runtime.post('/agents/logs', { logs: batch })).toMatchObject({
      status: 422,
      body: { message: [`logs.1.${rule}`, `logs.3.${rule}`] },
    });
    expect(await agent.runtime.post('/agents/metrics', { deployment_id: foreign })).toMatchObject({
      status: 422,
      body: { message: [rule] },
    });
    expect(await read('logs')).toEqual([]);
  });
});

describe('Concurrent submissions', () => {
  it('fail separately when the database refuses one of them', async () => {
    await app.database.query("ALTER TABLE agent_logs ADD CONSTRAINT no_poison CHECK (message <> 'poison')");
    const agents = await Promise.all(Array.from({ length: 10 }, () => createAgent(app, person)));
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const message = index % 25 === 7 ? 'poison' : `line ${index}`;
        return agents[index % 10]!.runtime.post('/agents/logs', { logs: [line, { ...line, message }] });
      }),
    );
    await app.database.query('ALTER TABLE agent_logs DROP CONSTRAINT no_poison');
    expect(replies.flatMap(({ status }, index) => (status === 200 ? [] : [[index, status]]))).toEqual([
      [7, 500],
      [32, 500],
      [57, 500],
      [82, 500],
    ]);
    const counts = await Promise.all(agents.map(async (each) => (await read('logs', each)).length));
    expect(counts).toEqual([20, 20, 16, 20, 20, 20, 20, 16, 20, 20]);
  });
});
