import { createAgent, deploy, obey, report } from './builders/agents.js';
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

async function deploymentOf(id: string) {
  return (await person.api.get(`/deployments/${id}`)).body;
}

async function eventTypesOf(id: string): Promise<string[]> {
  const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
  return items.map((item: { event_type: string }) => item.event_type);
}

describe('The fields that depend on the status', () => {
  it('have their initial values in a new deployment', async () => {
    const agent = await createAgent(app, person);
    const reply = await person.api.post('/deployments', { agent_id: agent.id, replicas: 7 });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.any(String),
      deployment_id: reply.body.id,
      agent_id: agent.id,
      project_id: person.id,
      agent_name: `agent-${agent.id.slice(0, 8)}`,
      status: 'deploying',
      status_source: 'user',
      config_version: 1,
      replicas: 1,
      ready_replicas: 0,
      generation: 1,
      observed_generation: null,
      node_id: null,
      error_message: null,
      restart_count: 0,
      last_exit: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      started_at: reply.body.created_at,
      ended_at: null,
      updated_at: reply.body.created_at,
    });
    expect(await deploymentOf(reply.body.id)).toEqual(reply.body);
    expect((await person.api.get(`/agents/${agent.id}`)).body).toMatchObject({
      status: 'running',
      deployments: [reply.body],
    });
  });

  it('change with each step from deploy to stop', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await obey(agent);
    expect(await deploymentOf(id)).toMatchObject({
      status: 'running',
      status_source: 'agent',
      observed_generation: 1,
    });
    await report(agent, id, { status: 'ready', ready_replicas: 1, node_id: 'node-1' });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 1, node_id: 'node-1' });
    await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
    expect(await deploymentOf(id)).toMatchObject({
      status: 'ready',
      status_source: 'agent',
      replicas: 3,
      generation: 2,
      observed_generation: 1,
    });
    expect(await obey(agent)).toEqual(['scale']);
    expect(await deploymentOf(id)).toMatchObject({ generation: 2, observed_generation: 2 });
    await report(agent, id, { ready_replicas: 2 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'running', ready_replicas: 2 });
    const beforeStop = await deploymentOf(id);
    const stopped = await person.api.post(`/agents/${agent.id}/stop`);
    expect(stopped.body).toMatchObject({ agent_id: agent.id, status: 'stopped', stopped: 1 });
    expect(stopped.body.deployments[0]).toMatchObject({
      id,
      status: 'stopped',
      status_source: 'user',
      ready_replicas: 0,
      ended_at: expect.any(String),
    });
    expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('stopped');
    const restarted = (await person.api.post(`/deployments/${id}/restart`)).body;
    expect(restarted).toMatchObject({ status: 'deploying', ended_at: null, generation: 3, replicas: 3 });
    expect(Date.parse(restarted.started_at)).toBeGreaterThanOrEqual(Date.parse(beforeStop.started_at));
    expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('running');
    await report(agent, id, { status: 'failed', error_message: 'exit code 3' });
    expect(await deploymentOf(id)).toMatchObject({
      status: 'failed',
      error_message: 'exit code 3',
      ended_at: expect.any(String),
    });
    await person.api.delete(`/deployments/${id}`);
    expect(await deploymentOf(id)).toMatchObject({
      status: 'killed',
      status_source: 'user',
      ended_at: expect.any(String),
    });
    expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('stopped');
    expect((await eventTypesOf(id)).reverse()).toEqual([
      'deploy',
      'running',
      'ready',
      'scale',
      'degraded',
      'stop',
      'restart',
      'failed',
      'kill',
    ]);
  });

  it('count at most the wanted number of replicas as ready, before a scale-down is carried out', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
    await obey(agent);
    await report(agent, id, { ready_replicas: 3 });
    const scaled = (await person.api.post(`/deployments/${id}/scale`, { replicas: 1 })).body;
    const [listed] = (await person.api.get(`/deployments?agent_id=${agent.id}`)).body;
    for (const shown of [scaled, listed, await deploymentOf(id)])
      expect(shown).toMatchObject({ replicas: 1, ready_replicas: 1 });
  });

  it('refuse a number of replicas out of bounds', async () => {
    const { id } = await stageDeployment(app, person, 'running');
    for (const replicas of [-1, 101, 1.5, '3', null]) {
      expect((await person.api.post(`/deployments/${id}/scale`, { replicas })).status).toBe(422);
    }
    expect((await person.api.post(`/deployments/${id}/scale`, {})).status).toBe(422);
    expect((await person.api.post(`/deployments/${id}/scale`, { replicas: 0 })).body.replicas).toBe(0);
    expect((await person.api.post(`/deployments/${id}/scale`, { replicas: 100 })).body.replicas).toBe(100);
  });
});

describe("A runtime's message about an earlier start", () => {
  it('does not change the current start: a late acknowledgement', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    const [command] = (await agent.runtime.get('/agents/commands')).body.commands;
    await person.api.post(`/agents/${agent.id}/stop`);
    await person.api.post(`/deployments/${id}/restart`);
    await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: command.command_id,
      success: true,
    });
    expect(await deploymentOf(id)).toMatchObject({ status: 'deploying', observed_generation: null });
  });

  it('does not change the current start: a late failure', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    const [command] = (await agent.runtime.get('/agents/commands')).body.commands;
    await person.api.post(`/agents/${agent.id}/stop`);
    await person.api.post(`/deployments/${id}/restart`);
    await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: command.command_id,
      success: false,
    });
    expect(await deploymentOf(id)).toMatchObject({ status: 'deploying' });
  });

  it('does not change the current start: a report with an older generation', async () => {
    const { agent, id } = await stageDeployment(app, person, 'stopped');
    await person.api.post(`/deployments/${id}/restart`);
    await report(agent, id, { status: 'running', observed_generation: 1 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'deploying' });
    await report(agent, id, { status: 'running', observed_generation: 2 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'running', observed_generation: 2 });
  });
});
