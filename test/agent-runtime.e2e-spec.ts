import { createAgent, deploy, obey } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

describe('POST /agents/register', () => {
  it("updates the agent when the agent's key is sent", async () => {
    const agent = await createAgent(app, person, { name: 'old name' });
    const id = await deploy(person, agent);
    const { status, body } = await agent.runtime.post('/agents/register', {
      name: 'new name',
      description: 'Described.',
      version: '1.2.3',
      hostname: 'host-1',
      platform: 'linux/x64',
      capabilities: ['chat'],
      metadata: { zone: 'b' },
      something_newer: true,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      agent_id: agent.id,
      status: 'registered',
      message: expect.any(String),
      heartbeat_interval_seconds: 30,
      deployments: [expect.objectContaining({ id, status: 'deploying' })],
      approvals: [],
    });
    expect((await person.api.get(`/agents/${agent.id}`)).body).toMatchObject({
      name: 'new name',
      description: 'Described.',
      version: '1.2.3',
      hostname: 'host-1',
      platform: 'linux/x64',
      status: 'running',
    });
  });

  it('keeps the details that the request leaves out', async () => {
    const agent = await createAgent(app, person, { name: 'kept' });
    await agent.runtime.post('/agents/register', { version: '1' });
    await agent.runtime.post('/agents/register');
    expect((await person.api.get(`/agents/${agent.id}`)).body).toMatchObject({ name: 'kept', version: '1' });
  });

  it('records the program of the agent, and ignores values out of bounds', async () => {
    const agent = await createAgent(app, person);
    const runtimeAfter = async (runtime?: unknown) => {
      const { status, body } = await agent.runtime.post('/agents/register', { runtime });
      expect([status, body.upgrade]).toEqual([200, undefined]);
      return (await person.api.get(`/agents/${agent.id}`)).body.runtime;
    };
    expect(await runtimeAfter()).toBeNull();
    const svc = { name: 'svc run', version: '1.4.2', protocol: 1 };
    expect(await runtimeAfter(svc)).toEqual({ ...svc, outdated: false });
    for (const runtime of [undefined, 'svc run', { version: '2' }])
      expect(await runtimeAfter(runtime)).toEqual({ ...svc, outdated: false });
    expect(await runtimeAfter({ name: 'x'.repeat(200), version: 7, protocol: 1.5, more: 1 })).toEqual({
      name: expect.stringMatching(/^x.{98,99}$/u),
      version: null,
      protocol: null,
      outdated: false,
    });
  });

  it('is answered with advice when the runtime and the service speak different protocols', async () => {
    const agent = await createAgent(app, person);
    const adviceFor = async (protocol: number) =>
      (await agent.runtime.post('/agents/register', { runtime: { name: 'mine', protocol } })).body.upgrade;
    expect(await adviceFor(0)).toBe(
      'mine speaks protocol 0, but this service requires 1 or newer: upgrade mine',
    );
    expect(await adviceFor(2)).toContain('upgrade the service before its runtimes');
    const enrolled = await person.api.post('/agents/register', { runtime: { name: 'mine', protocol: 0 } });
    expect(enrolled.body).toMatchObject({ upgrade: expect.any(String), api_key: expect.any(String) });
    const beat = async () => (await agent.runtime.post('/agents/heartbeat', {})).body.upgrade;
    expect(await beat()).toContain('upgrade the service before its runtimes');
    expect(await adviceFor(1)).toBeUndefined();
    expect(await beat()).toBeUndefined();
  });

  it("creates an agent when a user's token is sent", async () => {
    const { status, body } = await person.api.post('/agents/register', {
      name: 'enrolled',
      hostname: 'host-2',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'registered',
      deployments: [],
      api_key: expect.stringMatching(/^svc_agent_/),
    });
    expect((await person.api.get(`/agents/${body.agent_id}`)).body).toMatchObject({
      user_id: person.id,
      name: 'enrolled',
      hostname: 'host-2',
      status: 'running',
    });
    expect((await app.api.as(body.api_key).post('/agents/heartbeat', {})).status).toBe(200);
    const { created_at, updated_at } = (await person.api.get(`/agents/${body.agent_id}`)).body;
    expect(updated_at >= created_at).toBe(true);
  });

  it('returns 401 without a credential', async () => {
    expect((await app.api.post('/agents/register', {})).status).toBe(401);
    expect((await app.api.as('nonsense').post('/agents/register', {})).status).toBe(401);
    expect((await app.api.as(person.refreshToken).post('/agents/register', {})).status).toBe(401);
  });
});

describe('An agent whose runtime is too old', () => {
  it('is found by a filter, also with others, and is counted by the overview', async () => {
    const owner = await registerPerson(app);
    const named = (name: string, type: string) => createAgent(app, owner, { name, type });
    const [old, current] = [await named('old', 'custom'), await named('current', 'worker')];
    await named('silent', 'custom');
    for (const [agent, protocol] of [
      [old, 0],
      [current, 1],
    ] as const)
      await agent.runtime.post('/agents/register', { runtime: { name: 'mine', protocol } });
    const found = async (query: string) =>
      (await owner.api.get(`/agents?${query}`)).body.map(({ name }: { name: string }) => name);
    expect(await found('outdated=true')).toEqual(['old']);
    expect(await found('outdated=true&type=worker')).toEqual([]);
    expect(await found('outdated=true&connection=online')).toEqual(['old']);
    expect(await found('outdated=false&sort=name')).toEqual(['current', 'silent']);
    const { body: grouped } = await owner.api.get('/agents/groups?by=type&outdated=true');
    expect(grouped.groups).toMatchObject([{ value: 'custom', agents: 1 }]);
    expect((await owner.api.get('/overview')).body.outdated_agent_count).toBe(1);
  });
});

describe('A heartbeat', () => {
  it('is answered with the heartbeat interval and the number of pending commands', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const { status, body } = await agent.runtime.post('/agents/heartbeat', {
      status: 'idle',
      message: 'nothing to do',
      timestamp: '1999-01-01T00:00:00Z',
      hostname: 'host-3',
      unknown_to_us: [1],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      agent_id: agent.id,
      timestamp: expect.stringMatching(/Z$/),
      heartbeat_interval_seconds: 30,
      pending_commands: 1,
    });
    const shown = (await person.api.get(`/agents/${agent.id}`)).body;
    expect(shown).toMatchObject({ status: 'running', hostname: 'host-3' });
    expect(Math.abs(Date.parse(shown.last_heartbeat) - Date.parse(body.timestamp))).toBeLessThan(10_000);
    await obey(agent);
    expect((await agent.runtime.post('/agents/heartbeat')).body.pending_commands).toBe(0);
  });

  it('does not start a stopped agent', async () => {
    const { agent } = await stageDeployment(app, person, 'stopped');
    await agent.runtime.post('/agents/heartbeat', { status: 'running' });
    expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('stopped');
  });

  it('ignores deployments of other agents', async () => {
    const theirs = await stageDeployment(app, person, 'deploying');
    const agent = await createAgent(app, person);
    const reply = await agent.runtime.post('/agents/heartbeat', {
      deployments: [{ deployment_id: theirs.id, status: 'failed' }],
    });
    expect(reply.status).toBe(200);
    expect((await person.api.get(`/deployments/${theirs.id}`)).body.status).toBe('deploying');
  });

  it('is committed for each agent when hundreds arrive at once', async () => {
    const agents = await Promise.all(Array.from({ length: 60 }, () => createAgent(app, person)));
    const beat = async (times: number) => {
      const beating = Array.from({ length: times }, () => agents).flat();
      const replies = await Promise.all(beating.map(({ runtime }) => runtime.post('/agents/heartbeat', {})));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    };
    // The first call of an agent runs in a separate transaction: on a busy machine, more of them at once would wait for
    // a connection for longer than the service allows.
    await beat(1);
    await app.database.query('UPDATE agent_presence SET last_heartbeat_at = NULL');
    await beat(3);
    const [row] = await app.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM agent_presence WHERE agent_id = ANY ($1) AND last_heartbeat_at IS NOT NULL',
      [agents.map((agent) => agent.id)],
    );
    expect(row!.count).toBe(60);
  });

  it.each([
    [{ status: 'dancing' }, 'status'],
    [{ deployments: 'all' }, 'deployments'],
    [{ hostname: 7 }, 'hostname'],
  ])('is refused with 422 for the body %j', async (body, named) => {
    const agent = await createAgent(app, person);
    const reply = await agent.runtime.post('/agents/heartbeat', body);
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toContain(named);
  });
});

describe("The agent's own status", () => {
  it('is returned to the agent', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    await agent.runtime.post('/agents/heartbeat', {});
    const { status, body } = await agent.runtime.get(`/agents/${agent.id}/status`);
    expect(status).toBe(200);
    expect(body).toEqual({
      agent_id: agent.id,
      status: 'running',
      last_heartbeat: expect.stringMatching(/Z$/),
      uptime_seconds: expect.any(Number),
      deployments: [expect.objectContaining({ id, status: 'running' })],
    });
  });

  it('is refused to other agents and to users', async () => {
    const agent = await createAgent(app, person);
    const stranger = await createAgent(app, person);
    const reply = await stranger.runtime.get(`/agents/${agent.id}/status`);
    expect(reply.status).toBe(403);
    expect(reply.body.message).toBe('Agent ID mismatch');
    expect((await person.api.get(`/agents/${agent.id}/status`)).status).toBe(401);
  });
});

describe("A request that names another agent than its key's", () => {
  it.each([
    ['register', 'POST', '/agents/register', {}],
    ['heartbeat', 'POST', '/agents/heartbeat', {}],
    ['logs', 'POST', '/agents/logs', { level: 'info', message: 'x' }],
    ['metrics', 'POST', '/agents/metrics', { cpu_usage: 1 }],
    [
      'acknowledge',
      'POST',
      '/agents/commands/acknowledge',
      { command_id: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d', success: true },
    ],
  ])('is refused on the route %s', async (_, method, path, body) => {
    const agent = await createAgent(app, person);
    const other = await createAgent(app, person);
    const reply = await agent.runtime.request(method, path, { body: { ...body, agent_id: other.id } });
    expect(reply.status).toBe(403);
    expect(reply.body.message).toBe('Agent ID mismatch');
    const own = await agent.runtime.request(method, path, { body: { ...body, agent_id: agent.id } });
    expect(own.status).not.toBe(403);
  });

  it('is refused when it polls for commands', async () => {
    const agent = await createAgent(app, person);
    const other = await createAgent(app, person);
    expect((await agent.runtime.get(`/agents/commands?agent_id=${other.id}`)).status).toBe(403);
    expect((await agent.runtime.get(`/agents/commands?agent_id=${agent.id}`)).status).toBe(200);
  });
});
