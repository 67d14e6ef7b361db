import { jest } from '@jest/globals';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
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

describe('GET /deployments/{deployment_id}/commands', () => {
  it('lists the commands, newest first, with the reason while one waits', async () => {
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
      waiting_reason: 'the agent has never connected',
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
      ['stop', 'waiting for the previous command'],
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

    // Other calls are recorded later; a heartbeat is recorded before its reply, and last.
    await agent.runtime.post('/agents/heartbeat', {});
    await app.database.query(
      `UPDATE agent_presence SET last_seen_at = now() - interval '1 h' WHERE agent_id = $1`,
      [agent.id],
    );
    const [stop] = await commandsOf(id, '?state=pending');
    expect(stop.waiting_reason).toMatch(/^agent offline since \d{4}-.*Z$/);
  });

  it('paginates and filters by state', async () => {
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

  it('returns 404 to everybody but the owner', async () => {
    const { id } = await stageDeployment(app, person, 'deploying');
    const stranger = await registerPerson(app);
    expect((await stranger.api.get(`/deployments/${id}/commands`)).body.message).toBe('Deployment not found');
  });
});

describe('The retention of history and commands', () => {
  it('deletes entries older than their retention, and no pending command', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    const killed = await stageDeployment(app, person, 'killed');
    await app.database.query(
      `UPDATE commands SET settled_at = now() - interval '91 days' WHERE settled_at IS NOT NULL AND deployment_id = $1`,
      [id],
    );
    await app.database.query(
      `UPDATE deployment_events SET created_at = now() - interval '731 days' WHERE deployment_id = $1 AND sequence = 1`,
      [id],
    );
    await app.database.query(`UPDATE deployments SET ended_at = now() - interval '731 days' WHERE id = $1`, [
      killed.id,
    ]);
    await until(() => app.app.get(PeriodicJobs).runOnce('historyRetention'));
    expect((await commandsOf(id)).map((command) => command.action)).toEqual(['scale']);
    const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
    expect(items.map((event: { sequence: number }) => event.sequence)).toEqual([3, 2]);
    expect(await obey(agent)).toEqual(['scale']);
    expect((await person.api.get(`/deployments/${killed.id}`)).status).toBe(404);
  });

  it("uses the database's clock, so that an instance with a fast clock deletes nothing", async () => {
    const { id } = await stageDeployment(app, person, 'killed');
    const future = Date.now() + 10 * 365 * 86_400_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(future);
    try {
      await until(() => app.app.get(PeriodicJobs).runOnce('historyRetention'));
    } finally {
      clock.mockRestore();
    }
    expect((await person.api.get(`/deployments/${id}`)).body.status).toBe('killed');
    const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
    expect(items.length).toBeGreaterThan(0);
    expect((await commandsOf(id)).length).toBeGreaterThan(0);
  });
});
