import { createAgent, deploy, insertAgents, obey, report } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** Hours by the agent's id. */
async function hoursOf(...ids: string[]): Promise<Record<string, string[]>> {
  const query = ids.map((id) => `agent_id=${id}`).join('&');
  const { status, body } = await person.api.get(`/agents/health-hours?${query}`);
  expect(status).toBe(200);
  return Object.fromEntries(body.agents.map(({ agent_id, hours }: any) => [agent_id, hours]));
}

const moved = (table: string, column: string, hours: number, where: string, id: string) =>
  app.database.query(
    `UPDATE ${table} SET ${column} = date_trunc('hour', now(), 'UTC') - make_interval(hours => $1) WHERE ${where} = $2`,
    [hours, id],
  );

describe('GET /agents/health-hours', () => {
  it('has the worst health of each hour since the creation, as the histories of the deployments say it', async () => {
    const agent = await createAgent(app, person);
    const idle = await createAgent(app, person);
    const deployment = await deploy(person, agent);
    await obey(agent);
    await report(agent, deployment, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
    await moved('deployment_events', 'created_at', 5, 'deployment_id', deployment);
    await moved('agents', 'created_at', 6, 'id', agent.id);
    await moved('agents', 'created_at', 60, 'id', idle.id);
    await report(agent, deployment, { status: 'failed', error_message: 'gone' });
    expect(await hoursOf(agent.id, idle.id)).toEqual({
      [agent.id]: ['idle', 'progressing', 'healthy', 'healthy', 'healthy', 'healthy', 'failing'],
      [idle.id]: Array(24).fill('idle'),
    });
  });

  it('has the hours after the oldest step that is read, of an agent that makes too many', async () => {
    const agent = await createAgent(app, person);
    const deployment = await deploy(person, agent);
    await moved('agents', 'created_at', 30, 'id', agent.id);
    await app.database.query(
      `INSERT INTO deployment_events (id, user_id, agent_id, deployment_id, sequence, event_type, status, previous_status,
         replicas, actor, created_at)
       SELECT gen_random_uuid(), $1, $2, $3, 10 + number, 'progress', 'deploying', 'deploying', 1, 'agent',
         now() - interval '20 hours' + make_interval(mins => number * 2)
       FROM generate_series(1, 600) AS number`,
      [person.id, agent.id, deployment],
    );
    const { [agent.id]: hours } = await hoursOf(agent.id);
    expect(new Set(hours)).toEqual(new Set(['progressing']));
    expect([16, 17]).toContain(hours!.length);
  });

  it('leaves out agents that the caller does not see, and refuses more than a hundred, a stranger’s project and no agent', async () => {
    const stranger = await registerPerson(app);
    const hidden = await createAgent(app, stranger);
    expect(await hoursOf(hidden.id)).toEqual({});
    const many = Array(101).fill(`agent_id=${hidden.id}`).join('&');
    for (const query of ['', many, 'agent_id=x'])
      expectError(await person.api.get(`/agents/health-hours?${query}`), 422);
    expectError(
      await person.api.get(`/agents/health-hours?agent_id=${hidden.id}&project_id=${stranger.id}`),
      404,
    );
  });

  it('reads a page of a hundred agents at once', async () => {
    await insertAgents(app.database, person.email, 100);
    const { body } = await person.api.get('/agents?type=scraper&limit=100');
    const ids = body.map(({ id }: { id: string }) => id);
    expect(Object.keys(await hoursOf(...ids))).toHaveLength(100);
  });
});
