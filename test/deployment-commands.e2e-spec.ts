import { v7 as uuidv7 } from 'uuid';
import { HistoryRetention } from '../src/deployments/history-retention.service.js';
import { createAgent, deploy, obey } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

async function commandsOf(deploymentId: string, query = ''): Promise<any[]> {
  const reply = await person.api.get(`/deployments/${deploymentId}/commands${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
}

describe('What became of each command', () => {
  it('is told, newest first, with the reason while it waits', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    const [waiting] = await commandsOf(id);
    expect(waiting).toEqual({
      id: expect.any(String),
      command_id: waiting.id,
      deployment_id: id,
      action: 'deploy',
      state: 'pending',
      generation: 1,
      attempts: 0,
      waiting_reason: 'the agent was never heard of',
      result: null,
      error: null,
      created_at: expect.stringMatching(/Z$/),
      leased_at: null,
      leased_until: null,
      acknowledged_at: null,
    });
    await agent.runtime.post('/agents/heartbeat', {});
    expect((await commandsOf(id))[0].waiting_reason).toBe('waiting for the agent to poll');

    const [delivered] = (await agent.runtime.get('/agents/commands')).body.commands;
    const [leased] = await commandsOf(id);
    expect(leased).toMatchObject({
      state: 'leased',
      attempts: 1,
      waiting_reason: `leased until ${delivered.expires_at}`,
    });

    await person.api.post(`/agents/${agent.id}/stop`);
    expect((await commandsOf(id)).map((command) => [command.action, command.waiting_reason])).toEqual([
      ['stop', 'waiting for its predecessor'],
      ['deploy', `leased until ${delivered.expires_at}`],
    ]);

    await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: delivered.command_id,
      success: false,
      error: 'no such image',
      result: { code: 125 },
    });
    expect((await commandsOf(id, '?state=failed'))[0]).toMatchObject({
      state: 'failed',
      waiting_reason: null,
      error: 'no such image',
      result: { code: 125 },
      acknowledged_at: expect.any(String),
    });

    // Other signs of life are recorded beside the calls that give them, this one before it is answered, and last.
    await agent.runtime.post('/agents/heartbeat', {});
    await app.database.query(
      `UPDATE agent_presence SET last_seen_at = now() - interval '1 h' WHERE agent_id = $1`,
      [agent.id],
    );
    const [stop] = await commandsOf(id, '?state=pending');
    expect(stop.waiting_reason).toMatch(/^agent offline since \d{4}-.*Z$/);
  });

  it('is paged, and filtered by state', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    for (let replicas = 1; replicas <= 3; replicas++) {
      await person.api.post(`/deployments/${id}/scale`, { replicas });
    }
    expect(await obey(agent)).toEqual(['scale']);
    expect((await commandsOf(id)).map((command) => command.state)).toEqual([
      'succeeded',
      'superseded',
      'superseded',
      'succeeded',
    ]);
    expect(await commandsOf(id, '?state=superseded&limit=1&skip=1')).toHaveLength(1);
    expect((await person.api.get(`/deployments/${id}/commands?state=lost`)).status).toBe(422);
    const counted = await person.api.get(`/deployments/${id}/commands?include_total=true&limit=1`);
    expect(counted.headers.get('x-total-count')).toBe('4');
  });

  it('is nobody else’s business', async () => {
    const { id } = await stageDeployment(app, person, 'deploying');
    const stranger = await registerPerson(app);
    expect((await stranger.api.get(`/deployments/${id}/commands`)).body.message).toBe('Deployment not found');
  });
});

describe('The retention of history and commands', () => {
  it('lets go of what is older than it has to be kept, and of nothing that waits', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    const old = (days: number) => uuidv7({ msecs: Date.now() - days * 86_400_000 });
    await app.database.query(
      'UPDATE commands SET id = CASE action WHEN $2 THEN $3::uuid ELSE $4::uuid END WHERE deployment_id = $1',
      [id, 'deploy', old(91), old(92)],
    );
    await app.database.query(
      'UPDATE deployment_events SET id = $2 WHERE deployment_id = $1 AND sequence = 1',
      [id, old(731)],
    );
    await until(() => app.app.get(HistoryRetention).runOnce());
    expect((await commandsOf(id)).map((command) => command.action)).toEqual(['scale']);
    const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
    expect(items.map((event: { sequence: number }) => event.sequence)).toEqual([3, 2]);
    expect(await obey(agent)).toEqual(['scale']);
  });
});
