import { acknowledge, createAgent, deploy, obey, poll, report, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ database: app.database });
  person = await registerPerson(app);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

async function statusOf(id: string): Promise<string> {
  return (await person.api.get(`/deployments/${id}`)).body.status;
}

async function agentStatus({ id }: TestAgent): Promise<string> {
  return (await person.api.get(`/agents/${id}`)).body.status;
}

async function replaceActive({ id }: TestAgent): Promise<string> {
  const reply = await person.api.post(`/agents/${id}/deploy`, { replaces: 'active' });
  expect(reply.status).toBe(200);
  return reply.body.id;
}

/** An agent with a deployment that is ready. */
async function runningAgent(): Promise<{ agent: TestAgent; old: string }> {
  const agent = await createAgent(app, person);
  const old = await deploy(person, agent);
  await obey(agent);
  await report(agent, old, { status: 'ready' });
  return { agent, old };
}

describe('A deployment with replace', () => {
  it('stops the active deployments in the transaction that makes it ready, each with its history and command', async () => {
    const { agent, old } = await runningAgent();
    const second = await deploy(person, agent);
    const fresh = await replaceActive(agent);
    await obey(agent);
    expect([await statusOf(old), await statusOf(second), await statusOf(fresh)]).toEqual([
      'ready',
      'running',
      'running',
    ]);
    await report(agent, fresh, { status: 'ready' });
    expect([await statusOf(old), await statusOf(second), await statusOf(fresh)]).toEqual([
      'stopped',
      'stopped',
      'ready',
    ]);
    expect(await agentStatus(agent)).toBe('running');
    const [event] = (await person.api.get(`/deployments/${old}/events`)).body.items;
    expect(event).toMatchObject({ event_type: 'stop', previous_status: 'ready', actor: `user:${person.id}` });
    expect((await poll(agent)).map(({ action, deployment_id }) => [action, deployment_id])).toEqual([
      ['stop', old],
      ['stop', second],
    ]);
  });

  it('does not change the active deployments when it fails', async () => {
    const { agent, old } = await runningAgent();
    const fresh = await replaceActive(agent);
    await report(agent, fresh, { status: 'failed', error_message: 'exit code 1' });
    expect([await statusOf(old), await statusOf(fresh)]).toEqual(['ready', 'failed']);
    await person.api.post(`/deployments/${fresh}/restart`);
    await obey(agent);
    await report(agent, fresh, { status: 'ready', observed_generation: 2 });
    expect([await statusOf(old), await statusOf(fresh)]).toEqual(['ready', 'ready']);
  });

  it('does not change later deployments', async () => {
    const { agent, old } = await runningAgent();
    const fresh = await replaceActive(agent);
    const later = await replaceActive(agent);
    await obey(agent);
    await report(agent, fresh, { status: 'ready' });
    expect([await statusOf(old), await statusOf(later)]).toEqual(['stopped', 'running']);
    await report(agent, later, { status: 'ready' });
    expect([await statusOf(fresh), await statusOf(later)]).toEqual(['stopped', 'ready']);
  });

  it('replaces once, and leaves a deployment that is restarted later', async () => {
    const { agent, old } = await runningAgent();
    const fresh = await replaceActive(agent);
    await obey(agent);
    await report(agent, fresh, { status: 'ready' });
    await person.api.post(`/deployments/${old}/restart`);
    await obey(agent);
    await report(agent, fresh, { ready_replicas: 0 });
    await report(agent, fresh, { ready_replicas: 1 });
    expect([await statusOf(old), await statusOf(fresh)]).toEqual(['running', 'ready']);
  });

  it('replaces once when two instances receive its ready report at the same time', async () => {
    const { agent, old } = await runningAgent();
    const fresh = await replaceActive(agent);
    await obey(agent);
    const ready = { deployments: [{ deployment_id: fresh, status: 'ready' }] };
    await Promise.all([app, other].map((each) => each.api.as(agent.key).post('/agents/heartbeat', ready)));
    expect([await statusOf(old), await statusOf(fresh)]).toEqual(['stopped', 'ready']);
    const { items } = (await person.api.get(`/deployments/${old}/events?event_type=stop`)).body;
    expect(items).toHaveLength(1);
  });

  it('replaces nothing by default, and refuses an unknown value', async () => {
    const { agent, old } = await runningAgent();
    const fresh = await deploy(person, agent);
    await obey(agent);
    await report(agent, fresh, { status: 'ready' });
    expect([await statusOf(old), await statusOf(fresh)]).toEqual(['ready', 'ready']);
    expectError(await person.api.post(`/agents/${agent.id}/deploy`, { replaces: 'all' }), 422);
  });
});

describe('POST /deployments/{deployment_id}/stop', () => {
  it('leaves the other deployments running, and stops the agent with the last one', async () => {
    const { agent, old } = await runningAgent();
    const second = await deploy(person, agent);
    await obey(agent);
    const reply = await person.api.post(`/deployments/${old}/stop`);
    expect([reply.status, reply.body.status]).toEqual([200, 'stopped']);
    expect([await statusOf(second), await agentStatus(agent)]).toEqual(['running', 'running']);
    const [command] = await poll(agent);
    expect(command).toMatchObject({ action: 'stop', deployment_id: old });
    await acknowledge(agent, command!.command_id);
    await person.api.post(`/deployments/${second}/stop`);
    expect(await agentStatus(agent)).toBe('stopped');
  });

  it('is refused for a deployment that is not active', async () => {
    const { old } = await runningAgent();
    await person.api.post(`/deployments/${old}/stop`);
    expectError(await person.api.post(`/deployments/${old}/stop`), 400, 'Can only stop active deployments');
    const stranger = await registerPerson(app);
    expectError(await stranger.api.post(`/deployments/${old}/stop`), 404, 'Deployment not found');
  });
});
