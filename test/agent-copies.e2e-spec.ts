import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from './harness/test-app.js';

/** The copies of an agent in the tables of searches and of presence. The audit compares it with the agents. */

let app: TestApp;
let other: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp({ settings: SEVERAL_CONNECTIONS });
  other = await startTestApp({ database: app.database, settings: SEVERAL_CONNECTIONS });
  person = await registerPerson(app);
});

beforeEach(async () => {
  agent = await createAgent(app, person, { name: 'Crawler', labels: { team: 'blue' } });
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await other.close();
  await app.close();
});

const change = (body: object, instance = app) =>
  instance.api.as(person.accessToken).patch(`/agents/${agent.id}`, body);

const namesFound = async (query: string): Promise<string[]> =>
  (await person.api.get(`/agents?${query}`)).body.map(({ name }: { name: string }) => name);

/** The row that searches read. */
const searched = () =>
  app.database.query('SELECT user_id, name, content, terms FROM agent_search WHERE agent_id = $1', [
    agent.id,
  ]);

describe('The copies of an agent', () => {
  it('follow each change of a person and of its runtime', async () => {
    await change({ name: 'Reader', description: 'Reads MAIL', labels: { team: 'red' } });
    await agent.runtime.post('/agents/register', { hostname: 'Node-7' });
    const project = await createProject(person);
    expect((await change({ project_id: project })).status).toBe(200);
    expect(await searched()).toEqual([
      {
        user_id: project,
        name: 'reader',
        content: 'reader\nreads mail\ncustom\nnode-7',
        terms: [project, 'type:custom', 'label:team:red'],
      },
    ]);
    expect(await namesFound(`q=node-7&label=team:red&project_id=${project}`)).toEqual(['Reader']);
  });

  it('follow one of two simultaneous changes on two instances, with any other changes', async () => {
    const project = await createProject(person);
    const replies = await Promise.all(
      [app, other].flatMap((instance, nth) => [
        ...[1, 2, 3].map((round) =>
          change({ name: `name-${nth}-${round}`, labels: { round: `${round}` } }, instance),
        ),
        instance.api.as(agent.key).post('/agents/register', { hostname: `host-${nth}` }),
        person.api.post('/pauses', { agent_id: agent.id, reason: 'checked' }),
        change({ project_id: nth === 0 ? project : person.id }, instance),
      ]),
    );
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    await expectCleanAudit(app.database);
  });

  it('are deleted when a deletion meets changes', async () => {
    const replies = await Promise.all([
      change({ name: 'renamed' }),
      agent.runtime.post('/agents/register', { hostname: 'late' }),
      other.api.as(person.accessToken).delete(`/agents/${agent.id}`),
      change({ labels: { team: 'green' } }, other),
      agent.runtime.post('/agents/heartbeat', {}),
    ]);
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await searched()).toEqual([]);
    await expectCleanAudit(app.database);
  });
});

describe('An account', () => {
  it('has its personal project, and another one for its address is refused with none', async () => {
    const projects = () => app.database.query('SELECT id FROM projects');
    const before = await projects();
    const body = { email: person.email, password: 'Correct-horse-7' };
    const refused = await app.api.post('/auth/register', body);
    expect(refused.body.message).toBe('Email already registered');
    expect(await projects()).toEqual(before);
    const mine = await person.api.get(`/projects/${person.id}`);
    expect(mine.body).toMatchObject({ name: 'Personal', is_personal: true, role: 'owner' });
  });
});
