import {
  acknowledge,
  createAgent,
  deploy,
  obey,
  poll,
  type TestAgent,
  type TestCommand,
} from './builders/agents.js';
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

/** Ends the leases of an agent. */
async function endLeases(agent: TestAgent): Promise<void> {
  await app.database.query(
    `UPDATE commands SET leased_until = now() WHERE agent_id = $1 AND state = 'leased'`,
    [agent.id],
  );
}

describe('A command', () => {
  it('has all properties that a runtime needs', async () => {
    const agent = await createAgent(app, person, { config: '{"command": ["true"]}' });
    const id = await deploy(person, agent);
    const [command] = (await poll(agent)) as [TestCommand];
    expect(command).toEqual({
      command_id: expect.any(String),
      action: 'deploy',
      deployment_id: id,
      parameters: { deployment_id: id, generation: 1, replicas: 1, config: '{"command": ["true"]}' },
      attempt: 1,
      received_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
    });
    const leaseMs = Date.parse(command.expires_at) - Date.parse(command.received_at);
    expect(leaseMs).toBeGreaterThanOrEqual(60_000);
  });

  it('is leased, and is delivered again with a higher attempt when the lease ends', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const [first] = (await poll(agent)) as [TestCommand];
    expect(await poll(agent)).toEqual([]);
    await endLeases(agent);
    const [second] = (await poll(agent)) as [TestCommand];
    expect(second).toMatchObject({ command_id: first.command_id, attempt: 2 });
  });

  it('is delivered to one of several polls', async () => {
    const agent = await createAgent(app, person);
    await Promise.all(Array.from({ length: 10 }, () => deploy(person, agent)));
    const polls = await Promise.all(Array.from({ length: 20 }, () => poll(agent, '?limit=50')));
    const ids = polls.flat().map((command) => command.command_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(10);
  });

  it('waits for the previous command of the same deployment only', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    const other = await deploy(person, agent);
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    const scale = (await poll(agent)).find((command) => command.deployment_id === id)!;
    await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
    expect((await poll(agent)).filter((command) => command.deployment_id === id)).toEqual([]);
    await acknowledge(agent, scale.command_id);
    const [next] = await poll(agent);
    expect(next).toMatchObject({ deployment_id: id, parameters: { replicas: 3, generation: 3 } });
    expect(other).not.toBe(id);
  });

  it('is one of at most `limit` commands in a reply', async () => {
    const agent = await createAgent(app, person);
    for (let count = 0; count < 3; count++) await deploy(person, agent);
    expect(await poll(agent, '?limit=2')).toHaveLength(2);
    expect(await poll(agent, '?limit=2')).toHaveLength(1);
  });

  it.each(['wait=-1', 'wait=61', 'wait=x', 'limit=0', 'limit=51', 'limit=1.5'])(
    'is refused to a poll with the invalid query %s',
    async (query) => {
      const agent = await createAgent(app, person);
      expect((await agent.runtime.get(`/agents/commands?${query}`)).status).toBe(422);
    },
  );

  it('is returned even when `since` is in the future', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    expect(await poll(agent, '?since=2100-01-01T00:00:00Z')).toHaveLength(1);
  });
});

describe('A newer command', () => {
  it('replaces an older scale that is not delivered yet', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    await person.api.post(`/deployments/${id}/scale`, { replicas: 5 });
    const commands = await poll(agent);
    expect(commands).toHaveLength(1);
    expect(commands[0]!.parameters).toMatchObject({ replicas: 5, generation: 3 });
  });

  it('leaves a delivered command in place and waits for it', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const [first] = (await poll(agent)) as [TestCommand];
    await person.api.post(`/agents/${agent.id}/stop`);
    expect(await poll(agent)).toEqual([]);
    await acknowledge(agent, first.command_id);
    expect((await poll(agent)).map((command) => command.action)).toEqual(['stop']);
  });

  it.each(['stop', 'kill'])('replaces all undelivered commands when it is a %s', async (action) => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    if (action === 'stop') await person.api.post(`/agents/${agent.id}/stop`);
    else await person.api.delete(`/deployments/${id}`);
    expect(await obey(agent)).toEqual([action]);
  });
});

describe('An acknowledgement', () => {
  it('takes effect once: the first result is kept', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    const [command] = (await poll(agent)) as [TestCommand];
    const first = await acknowledge(agent, command.command_id, { success: true, result: { pid: 1 } });
    expect(first.body).toEqual({ status: 'ok', command_id: command.command_id });
    const second = await acknowledge(agent, command.command_id, { success: false, error: 'contradiction' });
    expect(second.status).toBe(200);
    expect(second.body).toEqual({ status: 'ok', command_id: command.command_id, duplicate: true });
    expect((await person.api.get(`/deployments/${id}`)).body).toMatchObject({
      status: 'running',
      error_message: null,
    });
    const [row] = await app.database.query('SELECT state, result, error FROM commands WHERE id = $1', [
      command.command_id,
    ]);
    expect(row).toEqual({ state: 'succeeded', result: { pid: 1 }, error: null });
  });

  it('takes effect once when several race', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const [command] = (await poll(agent)) as [TestCommand];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        acknowledge(agent, command.command_id, { success: index % 2 === 0, error: 'no' }),
      ),
    );
    expect(replies.map((reply) => reply.status)).toEqual(Array(20).fill(200));
    expect(replies.filter((reply) => !reply.body.duplicate)).toHaveLength(1);
  });

  it('is accepted after the lease has ended', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    const [command] = (await poll(agent)) as [TestCommand];
    await endLeases(agent);
    expect((await acknowledge(agent, command.command_id)).body.duplicate).toBeUndefined();
    expect((await person.api.get(`/deployments/${id}`)).body.status).toBe('running');
  });

  it("returns 404 for an unknown command and for another agent's command", async () => {
    const agent = await createAgent(app, person);
    const stranger = await createAgent(app, person);
    await deploy(person, agent);
    const [command] = (await poll(agent)) as [TestCommand];
    for (const commandId of [command.command_id, '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d']) {
      const reply = await acknowledge(stranger, commandId);
      expect(reply.status).toBe(404);
      expect(reply.body.message).toBe('Command not found');
    }
  });

  it('of a failed command fails the deployment with its reason', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    const [command] = (await poll(agent)) as [TestCommand];
    await acknowledge(agent, command.command_id, { success: false, error: 'no such image' });
    expect((await person.api.get(`/deployments/${id}`)).body).toMatchObject({
      status: 'failed',
      error_message: 'no such image',
    });
  });

  it('is refused when it does not say whether the command succeeded', async () => {
    const agent = await createAgent(app, person);
    const reply = await agent.runtime.post('/agents/commands/acknowledge', { command_id: 'x' });
    expect(reply.status).toBe(422);
    expect(reply.body.message).toEqual(
      expect.arrayContaining([expect.stringContaining('command_id'), expect.stringContaining('success')]),
    );
  });
});

describe('The command queue of an agent', () => {
  it('refuses a new command with a message after a thousand pending ones', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await app.database.query(
      `INSERT INTO commands (id, user_id, agent_id, deployment_id, sequence, generation, action, parameters)
       SELECT gen_random_uuid(), $3, $1, $2, number, 1, 'deploy', '{}' FROM generate_series(1001, 1999) AS number`,
      [agent.id, id, person.id],
    );
    const reply = await person.api.post(`/agents/${agent.id}/deploy`);
    expect(reply.status).toBe(429);
    expect(reply.headers.get('retry-after')).toBe('60');
    // Deleting, stopping and killing are never refused because of a full queue.
    expect((await person.api.delete(`/deployments/${id}`)).status).toBe(204);
  });
});
