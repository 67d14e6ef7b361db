import { createAgent, deploy, obey, poll } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject, createProjectKey, registerMember, setMembership } from './builders/projects.js';
import type { ApiClient } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const LIMIT = 5;

let instances: [TestApp, TestApp];
let app: TestApp;
let operator: Person;
let owner: Person;
let maintainer: Person;
let projectId: string;

beforeAll(async () => {
  const settings = { MAX_API_KEYS_PER_PROJECT: `${LIMIT}` };
  app = await startTestApp({ settings });
  instances = [app, await startTestApp({ settings, database: app.database })];
  operator = await registerOperator(app);
});

beforeEach(async () => {
  owner = await registerPerson(app);
  projectId = await createProject(owner);
  maintainer = await registerMember(app, projectId, 'maintainer');
});

afterAll(async () => {
  for (const instance of [...instances].reverse()) await instance.close();
});

/** Makes a key of the project. @returns its record */
async function make(person: Person, body: object = {}): Promise<any> {
  const reply = await person.api.post('/api-keys', { name: 'ci', project_id: projectId, ...body });
  expect(reply.status).toBe(201);
  return reply.body;
}

const as = (key: { readonly key: string }, instance = 0): ApiClient => instances[instance]!.api.as(key.key);

describe('The key of a project', () => {
  it('has the role deployer unless its maker names one, which is at most their own', async () => {
    expect(await make(maintainer)).toMatchObject({ role: 'deployer', project_id: projectId, agent_id: null });
    expect((await make(maintainer, { role: 'maintainer' })).role).toBe('maintainer');
    const above = { name: 'ci', project_id: projectId, role: 'owner' };
    expectError(
      await maintainer.api.post('/api-keys', above),
      422,
      'role must not be above your own, maintainer',
    );
    expect((await make(owner, { role: 'owner' })).role).toBe('owner');
  });

  it('is made only by maintainers of the project, and by none of its keys', async () => {
    const body = { name: 'ci', project_id: projectId, role: 'viewer' };
    const deployer = await registerMember(app, projectId, 'deployer');
    expectError(await deployer.api.post('/api-keys', body), 403, 'Missing role: maintainer');
    const stranger = await registerPerson(app);
    expectError(await stranger.api.post('/api-keys', body), 404, 'Project not found');
    const key = await make(owner, { role: 'owner' });
    expectError(await as(key).post('/api-keys', body), 401, 'Invalid or expired token');
  });

  it('is a project and a role, so a role without a project, or for an agent, is refused', async () => {
    expectError(
      await owner.api.post('/api-keys', { name: 'x', role: 'viewer' }),
      422,
      /role requires project_id/,
    );
    const agent = await createAgent(app, owner, { project_id: projectId });
    const body = { name: 'x', project_id: projectId, agent_id: agent.id, role: 'viewer' };
    expectError(await owner.api.post('/api-keys', body), 422, /role requires project_id/);
  });

  it('acts in that project alone, with any other projects of its maker', async () => {
    const elsewhere = await createAgent(app, maintainer);
    const other = await createProject(maintainer);
    const key = as(await make(maintainer, { role: 'maintainer' }));
    const made = await key.post('/agents', {});
    expect([made.status, made.body.project_id]).toEqual([201, projectId]);
    expect((await key.get('/agents')).body.map(({ id }: any) => id)).toEqual([made.body.id]);
    expectError(await key.get(`/agents/${elsewhere.id}`), 404);
    for (const foreign of [other, maintainer.id]) {
      expectError(await key.get(`/agents?project_id=${foreign}`), 404, 'Project not found');
      expectError(await key.post('/agents', { project_id: foreign }), 404, 'Project not found');
    }
    expectError(await key.get('/auth/me'), 401, 'Invalid or expired token');
  });

  it('is the actor of its acts, in the history and in the audit log', async () => {
    const agent = await createAgent(app, owner, { project_id: projectId });
    const key = await make(maintainer);
    const { body } = await as(key).post(`/agents/${agent.id}/deploy`);
    const { items } = (await owner.api.get(`/deployments/${body.id}/events`)).body;
    expect(items.map(({ actor }: any) => actor)).toEqual([`key:${key.id}`]);
    const [entry] = (await owner.api.get(`/audit?actor=key:${key.id}`)).body;
    expect(entry).toMatchObject({ actor: `key:${key.id}`, target_id: agent.id, project_id: projectId });
    expect((await maintainer.api.get(`/audit?actor=key:${key.id}`)).body).toEqual([]);
    expect((await as(key).get('/audit')).body.map(({ id }: any) => id)).toEqual([entry.id]);
  });

  it('is listed only to the maintainers of the project', async () => {
    const { id } = await make(maintainer);
    const other = await registerMember(app, projectId, 'maintainer');
    for (const person of [owner, maintainer, other])
      for (const path of ['/api-keys', `/api-keys?project_id=${projectId}`])
        expect((await person.api.get(path)).body.map((key: any) => key.id)).toEqual([id]);
    const deployer = await registerMember(app, projectId, 'deployer');
    expect((await deployer.api.get('/api-keys')).body).toEqual([]);
    expectError(await deployer.api.get(`/api-keys?project_id=${projectId}`), 403, 'Missing role: maintainer');
  });

  it('keeps its role and its scopes when it is rotated, and only by people with that role', async () => {
    const key = await make(owner, { role: 'owner', scopes: ['read', 'deploy'] });
    expectError(await maintainer.api.post(`/api-keys/${key.id}/rotate`), 403, 'Missing role: owner');
    expect((await as(key).get('/agents')).status).toBe(200);
    const rotated = (await owner.api.post(`/api-keys/${key.id}/rotate`)).body;
    expect(rotated).toMatchObject({ role: 'owner', scopes: ['read', 'deploy'], project_id: projectId });
    expectError(await as(key).get('/agents'), 401);
    expectError(await as(rotated).post('/agents', {}), 403, 'Missing scope: agents');
    const weaker = await make(maintainer, { role: 'maintainer' });
    await setMembership(app, projectId, maintainer, 'deployer');
    expectError(await maintainer.api.post(`/api-keys/${weaker.id}/rotate`), 403, 'Missing role: maintainer');
    expect((await as(weaker).post('/agents', {})).status).toBe(201);
  });

  it('is refused on every instance once another maintainer has revoked it', async () => {
    const key = await make(owner, { role: 'owner' });
    for (const instance of [0, 1]) expect((await as(key, instance).get('/agents')).status).toBe(200);
    expect((await maintainer.api.delete(`/api-keys/${key.id}`)).status).toBe(204);
    expectError(await as(key).get('/agents'), 401);
    await until(async () => (await as(key, 1).get('/agents')).status === 401);
  });

  it('counts for the limit of its project, not of its maker', async () => {
    for (let count = 0; count < LIMIT; count++) await maintainer.api.post('/api-keys', { name: 'own' });
    const replies = await Promise.all(
      Array.from({ length: 2 * LIMIT }, (_, index) =>
        (index % 2 ? owner : maintainer).api.post('/api-keys', { name: 'ci', project_id: projectId }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    const refused = replies.filter(({ status }) => status !== 201);
    for (const reply of refused)
      expectError(reply, 409, `A project can have ${LIMIT} API keys at most: revoke one first`);
  });

  it('does not find replies to another key of its project under the same Idempotency-Key', async () => {
    const keys = [await make(owner, { role: 'maintainer' }), await make(owner, { role: 'maintainer' })];
    const repeated = { headers: { 'idempotency-key': 'the same' } };
    const made = [];
    for (const key of keys) made.push((await as(key).post('/agents', {}, repeated)).body.id);
    expect(new Set(made).size).toBe(2);
    expect((await as(keys[0]).post('/agents', {}, repeated)).body.id).toBe(made[0]);
  });
});

describe('A project whose people have all left', () => {
  it('continues to work: its key enrols agents, and the key of its CI deploys them', async () => {
    const enrolling = as(await make(owner, { role: 'maintainer' }));
    const ci = await make(maintainer);
    expectError(await as(ci).post('/agents/register', {}), 403, 'Missing role: maintainer');
    for (const person of [maintainer, owner]) {
      await setMembership(app, projectId, person, null);
      expect((await operator.api.patch(`/users/${person.id}`, { is_active: false })).status).toBe(200);
    }
    const enrolled = await enrolling.post('/agents/register', { name: 'worker' });
    expect(enrolled.status).toBe(200);
    const { agent_id: id, api_key: runtimeKey } = enrolled.body;
    const agent = { id, key: runtimeKey, runtime: app.api.as(runtimeKey) };
    expect((await as(ci).get(`/agents/${id}`)).body).toMatchObject({ project_id: projectId, name: 'worker' });
    const deployment = (await as(ci).post(`/agents/${id}/deploy`)).body;
    expect(await obey(agent)).toEqual(['deploy']);
    const running = await as(ci, 1).get(`/deployments/${deployment.id}`);
    expect([running.body.status, running.body.project_id]).toEqual(['running', projectId]);
    expect((await as(ci).post(`/deployments/${deployment.id}/stop`)).status).toBe(200);
    expect((await poll(agent)).map(({ action }) => action)).toEqual(['stop']);
  });
});

describe('A key of a personal project', () => {
  it("reads its person's acts only as an owner", async () => {
    await createAgent(app, owner);
    const viewer = app.api.as(await createProjectKey(owner, owner.id, 'viewer'));
    expect((await viewer.get('/audit')).body).toEqual([]);
    const asOwner = app.api.as(await createProjectKey(owner, owner.id, 'owner'));
    expect((await asOwner.get('/audit?action=agent.create')).body).toHaveLength(1);
  });

  it('is refused while its account is deactivated, because no other person could revoke it', async () => {
    const agent = await createAgent(app, owner);
    const key = app.api.as(await createProjectKey(owner, owner.id, 'deployer'));
    await deploy(owner, agent);
    await operator.api.patch(`/users/${owner.id}`, { is_active: false });
    expectError(await key.get('/agents'), 403, 'Account is deactivated');
    await operator.api.patch(`/users/${owner.id}`, { is_active: true });
    expect((await key.get('/agents')).status).toBe(200);
  });
});
