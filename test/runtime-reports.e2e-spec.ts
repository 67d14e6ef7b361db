import { randomUUID } from 'node:crypto';
import { acknowledge, createAgent, deploy, obey, poll, report, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { untilSomeoneWaits, whileGated, whileHeld } from './harness/held-lock.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: SEVERAL_CONNECTIONS });
  person = await registerPerson(app);
});

afterAll(() => app.close());

async function deploymentOf(id: string) {
  return (await person.api.get(`/deployments/${id}`)).body;
}

/** Three replicas are wanted, in generation 2; none is ready. */
async function runningDeployment() {
  const agent = await createAgent(app, person);
  const id = await deploy(person, agent);
  await obey(agent);
  await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
  await obey(agent);
  return { agent, id };
}

describe('A report in a heartbeat', () => {
  it('is taken when a cut of its texts would leave half an emoji', async () => {
    const { agent, id } = await runningDeployment();
    const cutAt = (length: number) => `${'x'.repeat(length - 1)}😀`;
    const exit = { code: 1, signal: cutAt(32), message: cutAt(1_000), at: new Date().toISOString() };
    const reply = await agent.runtime.post('/agents/heartbeat', {
      message: cutAt(8_192),
      deployments: [{ deployment_id: id, error_message: cutAt(8_192), last_exit: exit }],
    });
    expect(reply.status).toBe(200);
    expect((await deploymentOf(id)).last_exit).toMatchObject({
      signal: 'x'.repeat(31),
      message: 'x'.repeat(999),
    });
    expect((await person.api.get(`/agents/${agent.id}`)).body.reported_message).toBe('x'.repeat(8_191));
  });

  it('sets only its other fields when its status is unknown, and the other reports are applied', async () => {
    const agent = await createAgent(app, person);
    const [one, other] = [await deploy(person, agent), await deploy(person, agent)];
    await obey(agent);
    const reply = await agent.runtime.post('/agents/heartbeat', {
      status: 'running',
      deployments: [
        { deployment_id: one, status: 'warming_up', node_id: 'node-1' },
        { deployment_id: other, status: 'ready' },
      ],
    });
    expect([reply.status, reply.body.status]).toEqual([200, 'ok']);
    expect(await deploymentOf(one)).toMatchObject({ status: 'running', node_id: 'node-1' });
    expect(await deploymentOf(other)).toMatchObject({ status: 'ready' });
  });

  it('is refused by itself when it breaks a rule, and the heartbeat and its other reports count', async () => {
    const agent = await createAgent(app, person);
    const [one, other] = [await deploy(person, agent), await deploy(person, agent)];
    await obey(agent);
    const reply = await agent.runtime.post('/agents/heartbeat', {
      message: 'three of five are wrong',
      deployments: [
        { deployment_id: one, status: 'ready', ready_replicas: -1, node_id: 7 },
        'a text',
        { deployment_id: other, status: 'ready' },
        { status: 'ready' },
        { deployment_id: one, node_id: 'node-1' },
      ],
    });
    expect([reply.status, reply.body.status]).toEqual([200, 'ok']);
    expect(reply.body.refused).toEqual([
      { field: 'deployments.0.ready_replicas', code: 'out_of_range', message: expect.any(String) },
      {
        field: 'deployments.0.node_id',
        code: 'wrong_type',
        message: 'deployments.0.node_id must be a string',
      },
      { field: 'deployments.1', code: 'wrong_type', message: 'deployments.1 must be an object' },
      { field: 'deployments.3.deployment_id', code: 'required', message: expect.any(String) },
    ]);
    expect(await deploymentOf(other)).toMatchObject({ status: 'ready' });
    expect(await deploymentOf(one)).toMatchObject({ status: 'running', node_id: 'node-1' });
    const { body } = await person.api.get(`/agents/${agent.id}`);
    expect(body).toMatchObject({ status: 'running', reported_message: 'three of five are wrong' });
  });

  it('brings back no lost deployment when it is the only one and is refused', async () => {
    const { agent, id } = await runningDeployment();
    await app.database.query(
      "UPDATE deployments SET status = 'failed', failure_cause = 'heartbeat_lost', ended_at = now() WHERE id = $1",
      [id],
    );
    const beat = { status: 'running', deployments: [{ deployment_id: id, restart_count: 'many' }] };
    expect((await agent.runtime.post('/agents/heartbeat', beat)).body.refused).toHaveLength(1);
    expect((await deploymentOf(id)).status).toBe('failed');
  });

  it('is not named in the reply when it is right', async () => {
    const { agent, id } = await runningDeployment();
    const beat = { deployments: [{ deployment_id: id, ready_replicas: 1 }] };
    expect((await agent.runtime.post('/agents/heartbeat', beat)).body).not.toHaveProperty('refused');
  });

  it('names its ids in any case, as a reply to a command does', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    const [command] = await poll(agent);
    expect((await acknowledge(agent, command!.command_id.toUpperCase())).status).toBe(200);
    await report(agent, id.toUpperCase(), { status: 'ready' });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready' });
  });

  it('counts by its number of replicas when its status is unknown', async () => {
    const { agent, id } = await runningDeployment();
    await report(agent, id, { status: 'warmed_up', ready_replicas: 3, observed_generation: 2 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 3 });
  });

  it('confirms a rolling restart, and its acknowledgement does not: the ready replicas are the former ones', async () => {
    const { agent, id } = await runningDeployment();
    await report(agent, id, { status: 'ready', ready_replicas: 3, observed_generation: 2 });
    await person.api.post(`/deployments/${id}/rolling-restart`);
    await obey(agent);
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', generation: 3, observed_generation: 2 });
    await report(agent, id, { status: 'running', ready_replicas: 2, observed_generation: 3 });
    expect(await deploymentOf(id)).toMatchObject({
      status: 'running',
      ready_replicas: 2,
      observed_generation: 3,
    });
    await report(agent, id, { status: 'ready', ready_replicas: 3, observed_generation: 3 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 3 });
  });

  it('changes nothing of a stopped deployment', async () => {
    const { agent, id } = await runningDeployment();
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    await person.api.post(`/agents/${agent.id}/stop`);
    const before = await deploymentOf(id);
    expect(before).toMatchObject({ status: 'stopped', generation: 3, observed_generation: 2 });
    await report(agent, id, {
      status: 'ready',
      ready_replicas: 2,
      observed_generation: 3,
      node_id: 'node-9',
    });
    expect(await deploymentOf(id)).toEqual(before);
  });

  it('stops the deployment and its agent when it is completed, unless more was requested meanwhile', async () => {
    const { agent, id } = await runningDeployment();
    await report(agent, id, { status: 'completed', observed_generation: 1 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'running' });
    const exit = { code: 0, at: new Date().toISOString() };
    await report(agent, id, { status: 'completed', observed_generation: 2, last_exit: exit });
    const completed = await deploymentOf(id);
    expect(completed).toMatchObject({
      status: 'stopped',
      status_source: 'agent',
      ready_replicas: 0,
      ended_at: expect.any(String),
      last_exit: exit,
    });
    const { items } = (await person.api.get(`/deployments/${id}/events?limit=1`)).body;
    expect(items[0]).toMatchObject({ event_type: 'completed', actor: `agent:${agent.id}` });
    expect((await person.api.get(`/agents/${agent.id}`)).body).toMatchObject({
      status: 'stopped',
      health: { state: 'idle' },
    });
    await report(agent, id, { status: 'completed', observed_generation: 2 });
    expect(await deploymentOf(id)).toEqual(completed);
  });

  it('stops the replaced deployments when it is completed before it was ready', async () => {
    const { agent, id } = await runningDeployment();
    const asked = await person.api.post(`/agents/${agent.id}/deploy`, { replaces: 'active' });
    await report(agent, asked.body.id, { status: 'completed' });
    expect(await deploymentOf(id)).toMatchObject({ status: 'stopped', status_source: 'user' });
    expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('stopped');
  });

  it('counts all replicas as ready when it names more than the wanted number', async () => {
    const { agent, id } = await runningDeployment();
    await report(agent, id, { status: 'ready', ready_replicas: 7, observed_generation: 2 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 3, replicas: 3 });
  });

  it('is refused as a whole when its generation was never requested', async () => {
    const { agent, id } = await runningDeployment();
    const before = await deploymentOf(id);
    await report(agent, id, {
      status: 'ready',
      ready_replicas: 3,
      observed_generation: 99,
      node_id: 'node-9',
    });
    expect(await deploymentOf(id)).toEqual(before);
  });
});

describe('The reply to a heartbeat', () => {
  const beat = async (agent: TestAgent, id: string, observed_generation: number) => {
    const deployments = [{ deployment_id: id, status: 'running', observed_generation }];
    return (await agent.runtime.post('/agents/heartbeat', { status: 'running', deployments })).body;
  };

  it('asks for a registration when a restore has lost the generation of a report, until it is lowered', async () => {
    const { agent, id } = await runningDeployment();
    expect(await beat(agent, id, 2)).not.toHaveProperty('register');
    await app.database.query('UPDATE deployments SET generation = 1, observed_generation = 1 WHERE id = $1', [
      id,
    ]);
    expect(await beat(agent, id, 2)).toMatchObject({ status: 'ok', register: true });
    expect(await beat(agent, id, 1)).not.toHaveProperty('register');
  });

  it('asks for a registration when a stopped deployment is reported, and no command says so', async () => {
    const { agent, id } = await runningDeployment();
    await person.api.post(`/deployments/${id}/stop`);
    expect(await beat(agent, id, 2)).not.toHaveProperty('register');
    await app.database.query('DELETE FROM commands WHERE deployment_id = $1', [id]);
    expect(await beat(agent, id, 2)).toMatchObject({ status: 'ok', register: true });
    const none = [{ deployment_id: id, status: 'running', ready_replicas: 0 }];
    expect((await agent.runtime.post('/agents/heartbeat', { deployments: none })).body).not.toHaveProperty(
      'register',
    );
  });

  it('asks for a registration when a restore has lost a reported deployment', async () => {
    const { agent } = await runningDeployment();
    expect(await beat(agent, randomUUID(), 1)).toMatchObject({ status: 'ok', register: true });
  });
});

describe('Reports of one owner', () => {
  it('are stored side by side, and a refused one fails by itself', async () => {
    const running = await Promise.all([runningDeployment(), runningDeployment(), runningDeployment()]);
    const deployed = await createAgent(app, person);
    await deploy(person, deployed);
    const [command] = await poll(deployed);
    const ready = { status: 'ready', ready_replicas: 3, observed_generation: 2 };
    await whileGated(app.database, 'deployment_events', 'commit', async (open) => {
      const reports = running.map(({ agent, id }) => report(agent, id, ready));
      const replies = [acknowledge(deployed, command!.command_id), acknowledge(deployed, randomUUID())];
      await untilSomeoneWaits(app.database);
      await open();
      await Promise.all(reports);
      expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 404]);
    });
    for (const { id } of running)
      expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 3 });
  });

  it('do not wait for an agent whose row is locked', async () => {
    const [held, free] = [await runningDeployment(), await runningDeployment()];
    const ready = { status: 'ready', ready_replicas: 3, observed_generation: 2 };
    await whileHeld(
      app.database,
      `SELECT FROM agents WHERE id = '${held.agent.id}' FOR UPDATE`,
      async (release) => {
        const waiting = [];
        // More than there are connections: those of one agent take turns.
        for (let each = 0; each < 20; each++) waiting.push(report(held.agent, held.id, ready));
        await untilSomeoneWaits(app.database);
        await report(free.agent, free.id, ready);
        expect(await deploymentOf(free.id)).toMatchObject({ status: 'ready' });
        await release();
        await Promise.all(waiting);
      },
    );
    expect(await deploymentOf(held.id)).toMatchObject({ status: 'ready' });
  });
});
