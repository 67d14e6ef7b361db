import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, deploy } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { addMember, createProject } from './builders/projects.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';
import { withinASecond } from './harness/within-a-second.js';

const LIMIT = 4;

let database: TestDatabase;
let service: TestApp;
/** Another instance. */
let beside: TestApp;
let operator: Person;
let owner: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = { ...WEBHOOK_SETTINGS, MAX_PROJECTS_PER_USER: `${LIMIT}` };
  [service, beside] = await Promise.all([
    startTestApp({ database, settings }),
    startTestApp({ database, settings }),
  ]);
  operator = await registerOperator(service);
});

beforeEach(async () => {
  owner = await registerPerson(service);
});

afterAll(async () => {
  await expectCleanAudit(database);
  await Promise.all([service.close(), beside.close()]);
  await database.drop();
});

const namesOf = async (person: Person, query = '') =>
  (await person.api.get(`/projects${query}`)).body.map(({ name }: { name: string }) => name);

describe('GET /projects', () => {
  it('lists the personal project first, then the others by name, each with the role', async () => {
    for (const name of ['beta', 'Alpha', 'gamma']) await createProject(owner, name);
    const shared = await createProject(await registerPerson(service), 'unseen');
    const { body } = await owner.api.get('/projects');
    expect(body.map(({ name, role }: any) => [name, role])).toEqual([
      ['Personal', 'owner'],
      ['Alpha', 'owner'],
      ['beta', 'owner'],
      ['gamma', 'owner'],
    ]);
    expect(body[0]).toEqual({
      id: owner.id,
      project_id: owner.id,
      name: 'Personal',
      is_personal: true,
      two_approvers_for: null,
      role: 'owner',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await namesOf(owner, '?q=A&limit=2')).toEqual(['Personal', 'Alpha']);
    expect(await namesOf(owner, '?q=LPH')).toEqual(['Alpha']);
    expectError(await owner.api.get(`/projects?before=${shared}`), 422, /before/);
  });

  it('continues after a project that was deleted meanwhile', async () => {
    const first = await createProject(owner, 'a');
    await createProject(owner, 'b');
    const link = (await owner.api.get('/projects?limit=2')).headers.get('link')!;
    await owner.api.delete(`/projects/${first}`);
    expect(await namesOf(owner, /\?[^>]+/.exec(link)![0])).toEqual(['b']);
  });

  it('shows an operator all projects only with all=true', async () => {
    const id = await createProject(owner, 'only mine');
    const { body } = await operator.api.get('/projects?all=true&q=only%20mine');
    expect(body.map(({ project_id, role }: any) => [project_id, role])).toEqual([[id, null]]);
    expect(await namesOf(operator, '?q=only%20mine')).toEqual([]);
    expectError(await owner.api.get('/projects?all=true'), 403, 'Operators only');
  });
});

describe('POST /projects', () => {
  it('makes the caller the owner, and a name may be taken twice', async () => {
    const made = await owner.api.post('/projects', { name: '  Invoices ' });
    expect([made.status, made.body.name, made.body.role, made.body.is_personal]).toEqual([
      201,
      'Invoices',
      'owner',
      false,
    ]);
    await createProject(owner, 'Invoices');
    const { body: entries } = await owner.api.get(`/audit?target_id=${made.body.id}`);
    expect(entries.map(({ action, details }: any) => [action, details])).toEqual([
      ['project.create', { name: 'Invoices' }],
    ]);
    for (const name of ['', 'x'.repeat(101), 'a\u200bb', 7]) {
      expectError(await owner.api.post('/projects', { name }), 422, /name/);
    }
  });

  it('keeps to the limit when requests race, and a deleted project frees a place', async () => {
    const replies = await Promise.all(
      Array.from({ length: 3 * LIMIT }, () => owner.api.post('/projects', { name: 'x' })),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made).toHaveLength(LIMIT);
    for (const reply of replies.filter((each) => !made.includes(each)))
      expectError(reply, 409, 'You have created 4 projects, the maximum: delete one first');
    await owner.api.delete(`/projects/${made[0]!.body.id}`);
    expect((await owner.api.post('/projects', { name: 'x' })).status).toBe(201);
  });

  it('is open to a key with the scope members, and to no key of a project', async () => {
    const keyOf = async (body: object) =>
      service.api.as((await owner.api.post('/api-keys', { name: 'k', ...body })).body.key);
    expect((await (await keyOf({ scopes: ['members'] })).post('/projects', { name: 'x' })).status).toBe(201);
    const reader = await keyOf({ scopes: ['read'] });
    expectError(await reader.post('/projects', { name: 'x' }), 403, 'Missing scope: members');
    const projectKey = await keyOf({ project_id: await createProject(owner), role: 'owner' });
    expectError(await projectKey.post('/projects', { name: 'x' }), 403, /use your own account/);
    expect((await projectKey.get('/projects')).body).toHaveLength(1);
  });
});

describe('PATCH /projects/{project_id}', () => {
  it('is open to owners only', async () => {
    const id = await createProject(owner);
    const maintainer = await addMember(service, owner, id, 'maintainer');
    const stranger = await registerPerson(service);
    expectError(await maintainer.api.patch(`/projects/${id}`, { name: 'x' }), 403, 'Missing role: owner');
    expectError(await stranger.api.patch(`/projects/${id}`, { name: 'x' }), 404, 'Project not found');
    expectError(await operator.api.patch(`/projects/${id}`, { name: 'x' }), 404, 'Project not found');
    expect((await owner.api.patch(`/projects/${id}`, { name: 'Paid' })).body.name).toBe('Paid');
    expect((await maintainer.api.get(`/projects/${id}`)).body).toMatchObject({
      name: 'Paid',
      role: 'maintainer',
    });
    const { body: entries } = await owner.api.get(`/audit?action=project.update`);
    expect(entries[0].details).toEqual({ name: 'Paid', previous_name: 'Invoices' });
  });

  it('refuses a personal project', async () => {
    const reply = await owner.api.patch(`/projects/${owner.id}`, { name: 'x' });
    expectError(reply, 409, "A personal project can't be renamed or shared");
    expect(reply.body.code).toBe('personal_project');
  });
});

describe('DELETE /projects/{project_id}', () => {
  it('refuses a personal project, a project with agents, and other callers than owners and operators', async () => {
    expectError(await owner.api.delete(`/projects/${owner.id}`), 409, "A personal project can't be deleted");
    const id = await createProject(owner);
    const path = `/projects/${id}`;
    const maintainer = await addMember(service, owner, id, 'maintainer');
    expectError(await maintainer.api.delete(path), 403, 'Missing role: owner');
    expectError(await (await registerPerson(service)).api.delete(path), 404, 'Project not found');
    const agents = [];
    for (const name of ['a', 'b'])
      agents.push((await owner.api.post('/agents', { name, project_id: id })).body.id);
    const refused = await owner.api.delete(path);
    expectError(refused, 409, 'The project has 2 agents: move or delete them first');
    expect(refused.body.code).toBe('project_not_empty');
    for (const agent of agents) await owner.api.delete(`/agents/${agent}`);
    expectError(
      await owner.api.delete(path),
      409,
      'The project has 2 agents that are still being deleted: try again in a minute',
    );
    await service.app.get(PeriodicJobs).runOnce('removalPurge');
    expect((await operator.api.delete(path)).status).toBe(204);
    expectError(await owner.api.get(path), 404, 'Project not found');
    expectError(await operator.api.get(path), 404, 'Project not found');
  });

  it('ends its keys and memberships on every instance within a second', async () => {
    const id = await createProject(owner);
    const member = await addMember(service, owner, id, 'viewer');
    const { key } = (await owner.api.post('/api-keys', { name: 'k', project_id: id })).body;
    const calls = [beside.api.as(key), beside.api.as(member.accessToken)];
    for (const call of calls) expect((await call.get(`/projects/${id}`)).status).toBe(200);
    expect((await owner.api.delete(`/projects/${id}`)).status).toBe(204);
    for (const [index, status] of [401, 404].entries())
      await withinASecond(async () => (await calls[index]!.get(`/projects/${id}`)).status === status);
  });

  it('takes its webhooks, deliveries and events, in the background and in parts', async () => {
    const id = await createProject(owner);
    const agent = await createAgent(service, owner, { project_id: id });
    await createWebhook(owner, 'http://127.0.0.1:9/', { project_id: id });
    await deploy(owner, agent);
    await owner.api.delete(`/agents/${agent.id}`);
    const jobs = service.app.get(PeriodicJobs);
    await jobs.runOnce('removalPurge');
    const left = async () => {
      const [row] = await database.query<Record<string, number>>(
        `SELECT (SELECT count(*)::int FROM deployment_events WHERE user_id = $1) AS events,
           (SELECT count(*)::int FROM webhooks WHERE user_id = $1) AS webhooks,
           (SELECT count(*)::int FROM projects WHERE id = $1) AS projects`,
        [id],
      );
      return row!;
    };
    expect((await owner.api.delete(`/projects/${id}`)).status).toBe(204);
    expect((await left()).events).toBeGreaterThan(0);
    await database.query(`UPDATE projects SET deleted_at = now() - interval '2 days' WHERE id = $1`, [id]);
    await jobs.runOnce('projectPurge');
    expect((await left()).projects).toBe(1);
    await jobs.runOnce('historyRetention');
    await jobs.runOnce('webhookPurge');
    await jobs.runOnce('projectPurge');
    expect(await left()).toEqual({ events: 0, webhooks: 0, projects: 0 });
  });

  it('lets nothing be made in the project at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await createProject(owner);
      const [deleted, ...made] = await Promise.all([
        owner.api.delete(`/projects/${id}`),
        beside.api.as(owner.accessToken).post('/agents', { project_id: id }),
        beside.api.as(owner.accessToken).post('/api-keys', { name: 'k', project_id: id }),
        beside.api.as(owner.accessToken).post('/webhooks', { url: 'http://127.0.0.1:9/', project_id: id }),
      ]);
      const [agent] = made;
      expect([deleted.status, agent.status]).toEqual(agent.status === 201 ? [409, 201] : [204, 404]);
      for (const { status } of made) expect([201, 404]).toContain(status);
      if (deleted.status === 409) await owner.api.delete(`/agents/${agent.body.id}`);
      await until(() => service.app.get(PeriodicJobs).runOnce('removalPurge'));
      const [row] = await database.query<{ live: number }>(
        `SELECT count(*)::int AS live FROM api_keys JOIN projects ON projects.id = api_keys.user_id
         WHERE projects.deleted_at IS NOT NULL`,
      );
      expect(row!.live).toBe(0);
      if (deleted.status === 409) expect((await owner.api.delete(`/projects/${id}`)).status).toBe(204);
    }
  });
});
