import { createAgent, deploy, obey, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';

let service: TestApp;
let person: Person;
let stranger: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
  stranger = await registerPerson(service);
});

afterAll(() => service.close());

const deploymentOf = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;
const agentOf = async ({ id }: TestAgent) => (await person.api.get(`/agents/${id}`)).body;
const historyOf = async (id: string) => (await person.api.get(`/deployments/${id}/events`)).body.items;

async function tell(kind: 'agent-status' | 'deployment' | 'metrics', body: object): Promise<boolean> {
  const answers = { 'agent-status': 'updated', deployment: 'processed', metrics: 'recorded' };
  const reply = await person.api.post(`/webhooks/${kind}`, body);
  expect(reply.status).toBe(200);
  const { changed, ...rest } = reply.body;
  expect([rest, typeof changed]).toEqual([
    { status: answers[kind] },
    kind === 'metrics' ? 'undefined' : 'boolean',
  ]);
  return changed;
}

describe('An inbound report', () => {
  it('is accepted from the owner with a token or a user API key', async () => {
    const { agent, id } = await stageDeployment(service, person, 'running');
    const { key } = (await person.api.post('/api-keys', { name: 'reports' })).body;
    const bodies = {
      '/webhooks/agent-status': { agent_id: agent.id, status: 'running' },
      '/webhooks/deployment': { deployment_id: id, event: 'seen' },
      '/webhooks/metrics/': { agent_id: agent.id, cpu_usage: 1, memory_usage: 2 },
    };
    for (const [path, body] of Object.entries(bodies)) {
      expect((await service.api.as(key).post(path, body)).status).toBe(200);
      const byHeader = await service.api.post(path, body, { headers: { 'x-api-key': key } });
      expect(byHeader.status).toBe(200);
      expectError(await agent.runtime.post(path, body), 401, 'Invalid or expired token');
      const missing = path.includes('deployment') ? 'Deployment not found' : 'Agent not found';
      expectError(await stranger.api.post(path, body), 404, missing);
      const unknown = 'deployment_id' in body ? { deployment_id: UNKNOWN } : { agent_id: UNKNOWN };
      expectError(await person.api.post(path, { ...body, ...unknown }), 404, missing);
    }
    expect(await deploymentOf(id)).toMatchObject({ status: 'running', status_source: 'agent' });
  });

  it('is refused for a deleted agent', async () => {
    const { agent, id } = await stageDeployment(service, person, 'running');
    await person.api.delete(`/agents/${agent.id}`);
    const measured = { agent_id: agent.id, cpu_usage: 1, memory_usage: 2 };
    expectError(await person.api.post('/webhooks/metrics', measured), 404, 'Agent not found');
    const status = { agent_id: agent.id, status: 'running' };
    expectError(await person.api.post('/webhooks/agent-status', status), 404, 'Agent not found');
    const event = { deployment_id: id, event: 'seen' };
    expectError(await person.api.post('/webhooks/deployment', event), 404, 'Deployment not found');
  });

  it.each<[string, object, RegExp]>([
    ['agent-status', { status: 'running' }, /^agent_id must be a UUID/],
    ['agent-status', { agent_id: UNKNOWN }, /^status must be one of/],
    ['agent-status', { agent_id: UNKNOWN, status: 'deleting' }, /^status must be one of/],
    ['agent-status', { agent_id: UNKNOWN, status: 'running', node_id: 1 }, /node_id must be a string/],
    [
      'agent-status',
      { agent_id: UNKNOWN, status: 'running', node_id: 'x'.repeat(256) },
      /^node_id must be shorter/,
    ],
    ['agent-status', { agent_id: UNKNOWN, status: 'running', event: 'x' }, /^property event should not/],
    ['deployment', { event: 'seen' }, /^deployment_id must be a UUID/],
    ['deployment', { deployment_id: UNKNOWN }, /event must/],
    ['deployment', { deployment_id: UNKNOWN, event: '' }, /^event must be 1 to 64 characters/],
    ['deployment', { deployment_id: UNKNOWN, event: 'Two words' }, /^event must be 1 to 64 characters/],
    ['deployment', { deployment_id: UNKNOWN, event: 'x'.repeat(65) }, /^event must be 1 to 64 characters/],
    ['deployment', { deployment_id: UNKNOWN, event: 'seen', status: 'idle' }, /^status must be one of/],
    [
      'deployment',
      { deployment_id: UNKNOWN, event: 'seen', replicas: 1 },
      /^property replicas should not exist/,
    ],
    ['metrics', { cpu_usage: 1, memory_usage: 1 }, /^agent_id must be a UUID/],
    ['metrics', { agent_id: UNKNOWN, cpu_usage: 1 }, /memory_usage must/],
    [
      'metrics',
      { agent_id: UNKNOWN, cpu_usage: -1, memory_usage: 1 },
      /^cpu_usage must be a number from 0 on$/,
    ],
    [
      'metrics',
      { agent_id: UNKNOWN, cpu_usage: '1', memory_usage: 1 },
      /^cpu_usage must be a number from 0 on$/,
    ],
    [
      'metrics',
      { agent_id: UNKNOWN, cpu_usage: null, memory_usage: 1 },
      /^cpu_usage must be a number from 0 on$/,
    ],
    [
      'metrics',
      { agent_id: UNKNOWN, cpu_usage: 1, memory_usage: 1, disk: 1 },
      /^property disk should not exist/,
    ],
  ])('is refused with a message that names the error: %s %j', async (kind, body, message) => {
    expectError(await person.api.post(`/webhooks/${kind}`, body), 422, message);
  });
});

describe('POST /webhooks/agent-status', () => {
  it('returns whether it changed the agent or a deployment', async () => {
    const { agent } = await stageDeployment(service, person, 'running');
    const changes: [string, boolean][] = [];
    for (const status of ['failed', 'failed', 'running', 'idle', 'stopped', 'stopped'])
      changes.push([status, await tell('agent-status', { agent_id: agent.id, status })]);
    expect(changes).toEqual([
      ['failed', true],
      ['failed', false],
      ['running', true],
      ['idle', false],
      ['stopped', true],
      ['stopped', false],
    ]);
  });

  it.each(['running', 'idle'])(
    '%s makes a new agent running without counting as a heartbeat',
    async (status) => {
      const agent = await createAgent(service, person);
      await tell('agent-status', { agent_id: agent.id, status });
      expect(await agentOf(agent)).toMatchObject({ status: 'running', last_heartbeat: null });
      const [presence] = await service.database.query(
        'SELECT last_seen_at, online_since FROM agent_presence WHERE agent_id = $1',
        [agent.id],
      );
      expect(presence).toEqual({ last_seen_at: null, online_since: null });
    },
  );

  it('running restores a failed agent, leaves a stopped one stopped, and stores the host', async () => {
    const { agent, id } = await stageDeployment(service, person, 'running');
    await tell('agent-status', { agent_id: agent.id, status: 'running', node_id: 'node-9' });
    expect((await deploymentOf(id)).node_id).toBe('node-9');
    await tell('agent-status', { agent_id: agent.id, status: 'failed' });
    await tell('agent-status', { agent_id: agent.id, status: 'running' });
    expect((await agentOf(agent)).status).toBe('running');
    await person.api.post(`/agents/${agent.id}/stop`);
    await tell('agent-status', { agent_id: agent.id, status: 'running' });
    expect((await agentOf(agent)).status).toBe('stopped');
  });

  it.each(['failed', 'error'])('%s fails the agent and its active deployments', async (status) => {
    const { agent, id } = await stageDeployment(service, person, 'ready');
    const other = await deploy(person, agent);
    await person.api.delete(`/deployments/${other}`);
    await deploy(person, agent);
    await tell('agent-status', { agent_id: agent.id, status, error_message: 'kernel panic' });
    const after = await agentOf(agent);
    expect(after.status).toBe('failed');
    expect(after.deployments.map((deployment: any) => deployment.status)).toEqual([
      'failed',
      'killed',
      'failed',
    ]);
    expect((await historyOf(id))[0]).toMatchObject({
      event_type: 'failed',
      actor: `user:${person.id}`,
      error_message: 'kernel panic',
    });
    await agent.runtime.post('/agents/heartbeat', {});
    expect((await agentOf(agent)).status).toBe('running');
    expect((await deploymentOf(id)).status).toBe('failed');
  });

  it('failed fails an agent without deployments, but not a stopped one', async () => {
    const agent = await createAgent(service, person);
    await tell('agent-status', { agent_id: agent.id, status: 'failed' });
    expect((await agentOf(agent)).status).toBe('failed');
    await person.api.post(`/agents/${agent.id}/stop`);
    await tell('agent-status', { agent_id: agent.id, status: 'failed' });
    expect((await agentOf(agent)).status).toBe('stopped');
  });

  it('stopped stops the agent and its active deployments, and sends stop commands to the runtime', async () => {
    const { agent, id } = await stageDeployment(service, person, 'running');
    await tell('agent-status', { agent_id: agent.id, status: 'stopped', error_message: 'drained' });
    expect(await agentOf(agent)).toMatchObject({ status: 'stopped', deployments: [{ status: 'stopped' }] });
    expect((await historyOf(id))[0]).toMatchObject({ event_type: 'stop', error_message: 'drained' });
    expect(await obey(agent)).toEqual(['stop']);
    const idle = await createAgent(service, person);
    await tell('agent-status', { agent_id: idle.id, status: 'stopped' });
    expect((await agentOf(idle)).status).toBe('stopped');
  });
});

describe('POST /webhooks/metrics', () => {
  const metricsOf = async ({ id }: TestAgent) => (await person.api.get(`/agents/${id}/metrics`)).body;

  it('stores a measurement of the agent and of its only active deployment', async () => {
    const agent = await createAgent(service, person);
    const measured = { cpu_usage: 12.5, memory_usage: 0 };
    await tell('metrics', { agent_id: agent.id.toUpperCase(), ...measured });
    expect(await metricsOf(agent)).toEqual([
      {
        id: expect.any(String),
        agent_id: agent.id,
        deployment_id: null,
        run_id: null,
        ...measured,
        uptime_seconds: null,
        requests_processed: null,
        errors_count: null,
        custom: null,
        timestamp: expect.any(String),
      },
    ]);
    const id = await deploy(person, agent);
    await tell('metrics', { agent_id: agent.id, ...measured });
    expect((await metricsOf(agent))[0]).toMatchObject({ deployment_id: id, ...measured });
    expect((await person.api.get(`/deployments/${id}/metrics`)).body).toHaveLength(1);
    await deploy(person, agent);
    await tell('metrics', { agent_id: agent.id, ...measured });
    expect((await metricsOf(agent))[0].deployment_id).toBeNull();
    expect((await agentOf(agent)).last_heartbeat).toBeNull();
  });

  it('accepts every finite number', async () => {
    const agent = await createAgent(service, person);
    for (const value of [0, 1e-300, 1e300, 4_294_967_296]) {
      await tell('metrics', { agent_id: agent.id, cpu_usage: value, memory_usage: value });
      expect((await metricsOf(agent))[0]).toMatchObject({ cpu_usage: value, memory_usage: value });
    }
    const tooMuch = `{"agent_id":"${agent.id}","cpu_usage":1e999,"memory_usage":1}`;
    expectError(await person.api.post('/webhooks/metrics', undefined, { raw: tooMuch }), 422, /^cpu_usage/);
  });
});
