import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, deploy, obey } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

describe('Deleting an agent', () => {
  it('removes the agent from every route at once, refuses its keys and purges its data', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await obey(agent);
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'last words' });
    await agent.runtime.post('/agents/metrics', { cpu_usage: 1 });
    const reply = await person.api.delete(`/agents/${agent.id}`);
    expect([reply.status, reply.body]).toEqual([204, '']);
    for (const path of [`/agents/${agent.id}`, `/agents/${agent.id}/logs`, `/agents/${agent.id}/metrics`]) {
      expect((await person.api.get(path)).body.message).toBe('Agent not found');
    }
    for (const path of ['', '/events', '/logs', '/metrics']) {
      expect((await person.api.get(`/deployments/${id}${path}`)).body.message).toBe('Deployment not found');
    }
    expect((await person.api.delete(`/agents/${agent.id}`)).status).toBe(404);
    expect((await person.api.post(`/agents/${agent.id}/deploy`)).status).toBe(404);
    expect((await person.api.post(`/deployments/${id}/restart`)).status).toBe(404);
    expect((await person.api.get('/agents?limit=100')).body.map((each: any) => each.id)).not.toContain(
      agent.id,
    );
    expect((await agent.runtime.post('/agents/heartbeat', {})).status).toBe(401);

    // The service's own round may be under way, and have begun before the agent was removed.
    await until(() => app.app.get(PeriodicJobs).runOnce('removalPurge'));
    for (const table of [
      'agents',
      'agent_presence',
      'agent_configs',
      'api_keys',
      'deployments',
      'commands',
      'agent_logs',
      'agent_log_positions',
      'agent_metrics',
    ]) {
      const column = table === 'agents' ? 'id' : 'agent_id';
      expect(await app.database.query(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [agent.id])).toEqual([]);
    }
  });

  it('succeeds once when several requests race', async () => {
    const agent = await createAgent(app, person);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => person.api.delete(`/agents/${agent.id}`)),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404]);
  });
});
