import { withSearched, withWorkload } from '../src/agents/agent-copies.repository.js';
import { createAgent, deploy, insertAgents } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

beforeEach(async () => {
  person = await registerPerson(app);
});

/** Each group as `value: agents, unhealthy`. */
async function groupsBy(query: string): Promise<string[]> {
  const { status, body } = await person.api.get(`/agents/groups?by=${query}`);
  expect([status, body]).toEqual([200, expect.objectContaining({ total: body.groups.length })]);
  return body.groups.map(
    ({ value, agents, unhealthy }: { value: string | null; agents: number; unhealthy: number }) =>
      `${value}: ${agents}, ${unhealthy}`,
  );
}

/** Agents of two teams. One of `billing` and one without a label are offline with something to run. */
async function twoTeams(): Promise<void> {
  const make = (name: string, labels: object, type = 'worker') =>
    createAgent(app, person, { name, labels, type });
  await make('reader', { team: 'search', env: 'live' });
  await make('crawler', { team: 'search' }, 'scraper');
  const writer = await make('writer', { team: 'billing:eu' });
  const stray = await make('stray', {});
  for (const agent of [writer, stray]) await deploy(person, agent);
}

describe('Groups of agents', () => {
  it('count by type and by label, with unhealthy ones first, and agents without the label', async () => {
    await twoTeams();
    expect(await groupsBy('type')).toEqual(['worker: 3, 2', 'scraper: 1, 0']);
    expect((await person.api.get('/agents/groups')).body.by).toBe('type');
    expect(await groupsBy('label:team')).toEqual(['billing:eu: 1, 1', 'null: 1, 1', 'search: 2, 0']);
    expect(await groupsBy('label:tea')).toEqual(['null: 4, 2']);
    expect(await groupsBy('label')).toEqual(['team: 3, 1', 'env: 1, 0']);
  });

  it('count only agents that match the filters, as the list does', async () => {
    await twoTeams();
    expect(await groupsBy('label:team&type=worker&q=r')).toEqual([
      'billing:eu: 1, 1',
      'null: 1, 1',
      'search: 1, 0',
    ]);
    expect(await groupsBy('type&label=team:search')).toEqual(['scraper: 1, 0', 'worker: 1, 0']);
    expect(await groupsBy('type&health=offline')).toEqual(['worker: 2, 2']);
    expect(await groupsBy('type&connection=online')).toEqual([]);
  });

  it('count by project, and none of projects of others', async () => {
    const shared = await createProject(person);
    await createAgent(app, person, { project_id: shared });
    await createAgent(app, person);
    await createAgent(app, await registerPerson(app));
    expect((await groupsBy('project')).sort()).toEqual([`${shared}: 1, 0`, `${person.id}: 1, 0`].sort());
    expect(await groupsBy(`project&project_id=${shared}`)).toEqual([`${shared}: 1, 0`]);
    const stranger = await registerPerson(app);
    expectError(await stranger.api.get(`/agents/groups?by=type&project_id=${shared}`), 404);
  });

  it('are at most two hundred, and the reply says how many there are', async () => {
    await insertAgents(app.database, person.email, 205);
    const labelled = "UPDATE agents SET labels = jsonb_build_object('host', name) WHERE user_id = $1";
    const failed = "UPDATE agents SET workload = 'failed' WHERE user_id = $1 AND name = 'crawler-205'";
    for (const statement of [withSearched(labelled), withWorkload(failed)])
      await app.database.query(statement, [person.id]);
    const { body } = await person.api.get('/agents/groups?by=label:host');
    expect([body.total, body.groups.length]).toEqual([205, 200]);
    expect(body.groups[0]).toEqual({ value: 'crawler-205', agents: 1, unhealthy: 1 });
  });

  it('are refused by a property that has none', async () => {
    for (const by of ['name', 'label:', 'label:a:b'])
      expectError(
        await person.api.get(`/agents/groups?by=${by}`),
        422,
        'by must be type, project, label or label:KEY',
      );
  });
});
