import { FILL_WORKLOAD } from '../migrations/1790002510000-fill-workload.js';
import { createAgent, deploy, obey, report, type TestAgent } from './builders/agents.js';
import { createWebhook, deliveriesOf, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { expectError } from './harness/error-shape.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';

let fleet: MonitoredFleet;
beforeAll(async () => {
  fleet = await MonitoredFleet.start(WEBHOOK_SETTINGS);
});
afterAll(() => fleet.close());
beforeEach(() => fleet.renew());

const agentOf = async ({ id }: TestAgent) => (await fleet.person.api.get(`/agents/${id}`)).body;

/** Health from the single read; the list and the filters must agree with it. */
async function healthOf(agent: TestAgent): Promise<[connection: string, state: string, reason: string]> {
  const { connection, health } = await agentOf(agent);
  for (const query of [`health=${health.state}`, `connection=${connection}`]) {
    const { body } = await fleet.person.api.get(`/agents?${query}&include_total=true`);
    expect(body.find(({ id }: { id: string }) => id === agent.id)).toMatchObject({ connection, health });
  }
  for (const other of ['idle', 'healthy', 'progressing', 'degraded', 'failing', 'offline', 'paused']) {
    if (other === health.state) continue;
    const { body } = await fleet.person.api.get(`/agents?health=${other}`);
    expect(body.map(({ id }: { id: string }) => id)).not.toContain(agent.id);
  }
  return [connection, health.state, health.reason];
}

async function readyDeployment() {
  const { agent, id } = await fleet.runningDeployment();
  await report(agent, id, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
  return { agent, id };
}

const eventsOf = async (
  id: string,
): Promise<{ event_type: string; status: string; error_message: string }[]> =>
  (await fleet.person.api.get(`/deployments/${id}/events`)).body.items;

describe("An agent's connection and health", () => {
  it('are never_connected and idle at first, and become offline when a deployment is created', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    expect(await healthOf(agent)).toEqual(['never_connected', 'idle', 'Nothing is meant to run']);
    const id = await deploy(fleet.person, agent);
    expect(await healthOf(agent)).toEqual([
      'never_connected',
      'offline',
      `The agent has never connected. Not running yet: deployment …${id.slice(-8)}`,
    ]);
    expect((await agentOf(agent)).status).toBe('running');
  });

  it('change from progressing to healthy while a deployment starts', async () => {
    const { agent, id } = await fleet.runningDeployment();
    expect((await healthOf(agent)).slice(0, 2)).toEqual(['online', 'progressing']);
    await report(agent, id, { status: 'ready', observed_generation: 1 });
    expect(await healthOf(agent)).toEqual([
      'online',
      'healthy',
      `1 of 1 replicas ready in deployment …${id.slice(-8)}`,
    ]);
  });

  it('are progressing after a scale until all replicas are ready, and degraded when a replica fails', async () => {
    const { agent, id } = await readyDeployment();
    await fleet.person.api.post(`/deployments/${id}/scale`, { replicas: 4 });
    const progressing = ['online', 'progressing', `1 of 4 replicas ready in deployment …${id.slice(-8)}`];
    expect(await healthOf(agent)).toEqual(progressing);
    await obey(agent);
    expect(await healthOf(agent)).toEqual(progressing);
    await report(agent, id, { status: 'ready', ready_replicas: 4, observed_generation: 2 });
    expect((await healthOf(agent))[1]).toBe('healthy');
    await report(agent, id, { ready_replicas: 3, observed_generation: 2 });
    expect((await healthOf(agent)).slice(1)).toEqual([
      'degraded',
      `3 of 4 replicas ready in deployment …${id.slice(-8)}`,
    ]);
    expect((await agentOf(agent)).deployed).toMatchObject({ replicas: 4, ready_replicas: 3 });
  });

  it('come with its active deployments together, with the config version of the newest, until they end', async () => {
    const { agent } = await readyDeployment();
    await createAgent(fleet.app, fleet.person);
    await fleet.person.api.patch(`/agents/${agent.id}`, { config: '{"env":{"MODEL":"small"}}' });
    const listed = async (query = '') =>
      (await fleet.person.api.get(`/agents${query}`)).body.map(({ deployed }: any) => deployed);
    await deploy(fleet.person, agent);
    const deployed = { config_version: 2, deployments: 2, replicas: 2, ready_replicas: 1 };
    expect(await listed()).toEqual([null, deployed]);
    await fleet.person.api.post(`/agents/${agent.id}/deploy`, { config_version: 1 });
    expect(await listed('?sort=health')).toEqual([
      { ...deployed, config_version: 1, deployments: 3, replicas: 3 },
      null,
    ]);
    await fleet.person.api.post(`/agents/${agent.id}/stop`);
    expect(await listed()).toEqual([null, null]);
  });

  it('are failing when the newest deployment failed and none is active', async () => {
    const { agent, id } = await readyDeployment();
    await report(agent, id, { status: 'failed', error_message: 'exit code 1\nat line 2' });
    expect((await healthOf(agent)).slice(1)).toEqual([
      'failing',
      `exit code 1 (deployment …${id.slice(-8)})`,
    ]);
    await fleet.person.api.post(`/deployments/${id}/restart`);
    expect((await healthOf(agent))[1]).toBe('progressing');
    await fleet.person.api.post(`/agents/${agent.id}/stop`);
    expect((await healthOf(agent))[1]).toBe('idle');
  });

  it("are offline when the heartbeat timeout has passed, before the monitor's next round", async () => {
    const { agent, id } = await readyDeployment();
    await fleet.silence(agent, 121);
    const [connection, state, reason] = await healthOf(agent);
    expect([connection, state]).toEqual(['offline', 'offline']);
    expect(reason).toMatch(/^No call from the agent since 20.*Z\. 1 of 1 replicas ready in deployment/);
    await fleet.round();
    expect((await healthOf(agent)).slice(0, 2)).toEqual(['offline', 'offline']);
    await fleet.heartbeat(agent);
    expect((await healthOf(agent)).slice(1)).toEqual([
      'failing',
      `Lost with the agent's heartbeat: deployment …${id.slice(-8)}`,
    ]);
    await report(agent, id, { status: 'ready', observed_generation: 1 });
    expect((await healthOf(agent))[1]).toBe('healthy');
  });

  it('refuse an unknown value as a filter', async () => {
    const states = 'idle, healthy, progressing, degraded, failing, offline, paused';
    const reply = await fleet.person.api.get('/agents?health=well');
    expectError(reply, 422, `health must be one of the following values: ${states}`);
  });

  it('do not replace the status that the agent reports of itself', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    const told = { capabilities: ['chat'], metadata: { zone: 'b' } };
    await agent.runtime.post('/agents/register', told);
    await agent.runtime.post('/agents/heartbeat', { status: 'error', message: 'disk full' });
    expect(await agentOf(agent)).toMatchObject({
      ...told,
      reported_status: 'error',
      reported_message: 'disk full',
    });
  });
});

describe('Restarts that a runtime reports', () => {
  const exit = (second: number) => ({
    code: 1,
    message: 'out of memory',
    at: `2026-01-31T09:30:0${second}.000Z`,
  });

  it('are returned with the last exit, and make the agent degraded while they are frequent', async () => {
    const { agent, id } = await readyDeployment();
    await report(agent, id, { restart_count: 2, last_exit: exit(1) });
    expect(await fleet.deployment(id)).toMatchObject({
      restart_count: 2,
      last_exit: exit(1),
      status: 'ready',
    });
    expect((await healthOf(agent))[1]).toBe('healthy');
    await report(agent, id, { restart_count: 3, last_exit: { ...exit(2), signal: 9 } });
    expect((await fleet.deployment(id)).last_exit).toEqual(exit(2));
    expect((await healthOf(agent)).slice(1)).toEqual([
      'degraded',
      `Restarts often (3 so far): deployment …${id.slice(-8)}`,
    ]);
  });

  it('cause one crash_looping event after five in ten minutes, and one stabilised event after ten minutes without any', async () => {
    const { agent, id } = await readyDeployment();
    const events = ['deployment.crash_looping', 'deployment.stabilised'];
    const webhook = await createWebhook(fleet.person, 'http://127.0.0.1:1/', { events });
    for (const count of [4, 5, 6]) await report(agent, id, { restart_count: count, last_exit: exit(count) });
    expect((await eventsOf(id)).map(({ event_type }) => event_type)).toEqual([
      'crash_looping',
      'ready',
      'running',
      'deploy',
    ]);
    expect((await eventsOf(id))[0]).toMatchObject({
      status: 'ready',
      error_message: 'Five restarts within ten minutes; the last exit: exit code 1, out of memory',
    });
    expect(await healthOf(agent)).toEqual([
      'online',
      'failing',
      `Restarts again and again (6 so far): deployment …${id.slice(-8)}`,
    ]);
    await fleet.round();
    expect((await healthOf(agent))[1]).toBe('failing');
    await fleet.app.database.query(
      "UPDATE deployments SET last_restart_at = last_restart_at - interval '601 seconds' WHERE id = $1",
      [id],
    );
    await fleet.round();
    await fleet.round();
    expect((await healthOf(agent))[1]).toBe('healthy');
    expect((await eventsOf(id)).map(({ event_type }) => event_type).slice(0, 2)).toEqual([
      'stabilised',
      'crash_looping',
    ]);
    const told = await deliveriesOf(fleet.person, webhook.id);
    expect(told.map(({ event }) => event).sort()).toEqual(events);
  });

  it('are counted from zero after a restart that a user requested', async () => {
    const { agent, id } = await readyDeployment();
    await report(agent, id, { restart_count: 7, last_exit: exit(1) });
    await report(agent, id, { status: 'failed', error_message: 'gave up' });
    expect(await fleet.deployment(id)).toMatchObject({ restart_count: 7, status: 'failed' });
    await fleet.person.api.post(`/deployments/${id}/restart`);
    expect(await fleet.deployment(id)).toMatchObject({ restart_count: 0, last_exit: null });
    expect((await healthOf(agent))[1]).toBe('progressing');
  });

  it('are ignored with a message when the time of the exit is missing', async () => {
    const { agent, id } = await readyDeployment();
    const reply = await agent.runtime.post('/agents/heartbeat', {
      deployments: [{ deployment_id: id, last_exit: { code: 1 } }],
    });
    expect([reply.status, reply.body.refused]).toEqual([
      200,
      [expect.objectContaining({ message: 'deployments.0.last_exit must be an object with a time in `at`' })],
    ]);
    expect(await fleet.deployment(id)).toMatchObject({ last_exit: null });
  });
});

it('A deployment names its agent in lists, single reads and replies', async () => {
  const agent = await createAgent(fleet.app, fleet.person, { name: 'reader' });
  const { body: deployed } = await fleet.person.api.post(`/agents/${agent.id}/deploy`);
  expect(deployed.agent_name).toBe('reader');
  await agent.runtime.post('/agents/register', { name: 'writer' });
  expect((await fleet.deployment(deployed.id)).agent_name).toBe('writer');
  expect((await fleet.person.api.get('/deployments')).body[0].agent_name).toBe('writer');
  expect((await agentOf(agent)).deployments[0].agent_name).toBe('writer');
});

it('A migration fills in the workload of agents that are older than the column', async () => {
  const { agent, id } = await readyDeployment();
  await fleet.person.api.post(`/deployments/${id}/scale`, { replicas: 4 });
  const failed = await readyDeployment();
  await report(failed.agent, failed.id, { status: 'failed', error_message: 'exit code 1\nat line 2' });
  const idle = await createAgent(fleet.app, fleet.person);
  const twice = await readyDeployment();
  await deploy(fleet.person, twice.agent);
  const agents = [agent, failed.agent, idle, twice.agent].map((each) => each.id);
  const stored = () =>
    fleet.app.database.query(
      'SELECT id, workload, workload_reason FROM agents WHERE id = ANY ($1) ORDER BY id',
      [agents],
    );
  const before = await stored();
  await fleet.app.database.query(
    "UPDATE agents SET workload = 'idle', workload_reason = 'Nothing is meant to run' WHERE id = ANY ($1)",
    [agents],
  );
  await fleet.app.database.query(FILL_WORKLOAD);
  // the migration has older words for a failure
  const ofFailed = before.find(({ workload }) => workload === 'failed')!;
  ofFailed.workload_reason = `Deployment …${failed.id.slice(-8)} failed: exit code 1`;
  expect(await stored()).toEqual(before);
});

describe('The overview', () => {
  it('names each agent that fails now once, and no recovered agent', async () => {
    const trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: no rows';
    const { agent: recovered, id: again } = await fleet.runningDeployment();
    for (const reason of ['out of disk', 'out of disk again']) {
      await report(recovered, again, { status: 'failed', error_message: reason });
      await fleet.person.api.post(`/deployments/${again}/restart`);
    }
    const { agent: lost } = await fleet.runningDeployment();
    await fleet.silence(lost, 121);
    await fleet.round();
    const { agent: idle, id: stopped } = await fleet.runningDeployment();
    await fleet.person.api.post(`/deployments/${stopped}/stop`);
    await obey(idle);
    await fleet.silence(idle, 121);
    const { agent: looping, id: loop } = await fleet.runningDeployment();
    const last_exit = { code: 1, message: trace, replica: 0, at: new Date().toISOString() };
    for (const restart_count of [1, 2, 3, 4, 5])
      await report(looping, loop, { status: 'running', restart_count, last_exit });
    const { agent: failing, id } = await fleet.runningDeployment();
    await report(failing, id, { status: 'failed' });
    const { body } = await fleet.person.api.get('/overview');
    expect(body.failing_agents).toMatchObject([
      { agent_id: looping.id, deployment_id: loop, error: 'ValueError: no rows', failures: 0, restarts: 5 },
      { agent_id: failing.id, error: expect.stringMatching(/^Failed \(deployment …/), failures: 1 },
    ]);
    expect(body.agents_by_health.failing).toBe(2);
    expect(body).toMatchObject({ failures: 4, recovered: { agents: 1, failures: 2 }, silent_agent_count: 1 });
    expect(body.silent_agents).toMatchObject([{ agent_id: lost.id }]);
  });
});
