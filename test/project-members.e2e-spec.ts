import { createAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { addMember, createProject } from './builders/projects.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { withinASecond } from './harness/within-a-second.js';

let database: TestDatabase;
let service: TestApp;
/** Another instance. */
let beside: TestApp;
let operator: Person;
let owner: Person;
let projectId: string;
let members: string;

beforeAll(async () => {
  database = await createTestDatabase();
  [service, beside] = await Promise.all([startTestApp({ database }), startTestApp({ database })]);
  operator = await registerOperator(service);
});

beforeEach(async () => {
  owner = await registerPerson(service);
  projectId = await createProject(owner);
  members = `/projects/${projectId}/members`;
});

afterAll(async () => {
  await expectCleanAudit(database);
  await Promise.all([service.close(), beside.close()]);
  await database.drop();
});

const add = (role: Parameters<typeof addMember>[3], person?: Person) =>
  addMember(service, owner, projectId, role, person);

const rolesIn = async (path = members) =>
  Object.fromEntries(
    (await owner.api.get(path)).body.map(({ user_id: id, role }: { user_id: string; role: string }) => [
      id,
      role,
    ]),
  );

const actsOn = async () =>
  (await owner.api.get(`/audit?target_id=${projectId}`)).body
    .filter(({ action }: { action: string }) => action.startsWith('member.'))
    .map(({ action, details }: { action: string; details: object }) => [action, details]);

describe('A member', () => {
  it('is added by an owner, with an address in any case, and is listed to every member', async () => {
    const person = await registerPerson(service);
    const reply = await owner.api.post(members, { email: person.email.toUpperCase(), role: 'viewer' });
    const expected = {
      user_id: person.id,
      email: person.email,
      name: null,
      role: 'viewer',
      source: 'direct',
      added_by: owner.id,
      created_at: expect.any(String),
    };
    expect([reply.status, reply.body]).toEqual([201, expected]);
    const { body } = await person.api.get(members);
    expect(body).toEqual([expected, expect.objectContaining({ user_id: owner.id, role: 'owner' })]);
    expect(await actsOn()).toEqual([['member.add', { user_id: person.id, role: 'viewer' }]]);
  });

  it('can be added once, and only if there is an account', async () => {
    const person = await add('viewer');
    const again = await owner.api.post(members, { email: person.email, role: 'owner' });
    expectError(again, 409, 'This person is already a member: change the role instead');
    expect(again.body.code).toBe('already_member');
    const unknown = await owner.api.post(members, { email: 'nobody@example.com', role: 'viewer' });
    expectError(unknown, 404, 'No account has this address: an operator can invite it');
    for (const body of [{ email: 'x', role: 'viewer' }, { email: person.email, role: 'admin' }, {}])
      expectError(await owner.api.post(members, body), 422);
  });

  it('sees the project, acts by the role, and loses both with the membership, on every instance within a second', async () => {
    const agent = await createAgent(service, owner, { project_id: projectId });
    const person = await add('viewer');
    const there = beside.api.as(person.accessToken);
    await withinASecond(async () => (await there.get(`/agents/${agent.id}`)).status === 200);
    expectError(await there.post(`/agents/${agent.id}/deploy`), 403, 'Missing role: deployer');
    const changed = await owner.api.patch(`${members}/${person.id}`, { role: 'deployer' });
    expect([changed.status, changed.body.role]).toEqual([200, 'deployer']);
    await withinASecond(async () => (await there.post(`/agents/${agent.id}/deploy`)).status === 200);
    expect((await owner.api.delete(`${members}/${person.id}`)).status).toBe(204);
    await withinASecond(async () => (await there.get(`/agents/${agent.id}`)).status === 404);
    expect(await actsOn()).toEqual([
      ['member.remove', { user_id: person.id, role: 'deployer' }],
      ['member.update', { user_id: person.id, role: 'deployer', previous_role: 'viewer' }],
      ['member.add', { user_id: person.id, role: 'viewer' }],
    ]);
  });

  it('is changed only by owners, and unknown to strangers', async () => {
    const maintainer = await add('maintainer');
    const viewer = await add('viewer');
    const stranger = await registerPerson(service);
    const calls = [
      (person: Person) => person.api.post(members, { email: stranger.email, role: 'viewer' }),
      (person: Person) => person.api.patch(`${members}/${viewer.id}`, { role: 'owner' }),
      (person: Person) => person.api.delete(`${members}/${viewer.id}`),
    ];
    for (const call of calls) {
      expectError(await call(maintainer), 403, 'Missing role: owner');
      expectError(await call(stranger), 404, 'Project not found');
    }
    expectError(await stranger.api.get(members), 404, 'Project not found');
    for (const call of [
      () => owner.api.patch(`${members}/${stranger.id}`, { role: 'viewer' }),
      () => owner.api.delete(`${members}/${stranger.id}`),
    ])
      expectError(await call(), 404, 'Member not found');
    expect(await rolesIn()).toEqual({
      [owner.id]: 'owner',
      [maintainer.id]: 'maintainer',
      [viewer.id]: 'viewer',
    });
  });

  it.each(['viewer', 'deployer', 'maintainer', 'owner'] as const)('may leave as %s', async (role) => {
    const person = await add(role);
    expect((await person.api.delete(`${members}/${person.id}`)).status).toBe(204);
    expectError(await person.api.get(members), 404, 'Project not found');
    expectError(await person.api.delete(`${members}/${person.id}`), 404, 'Project not found');
  });

  it('is managed by keys with the scope members', async () => {
    const person = await registerPerson(service);
    const keyOf = async (body: object) =>
      service.api.as((await owner.api.post('/api-keys', { name: 'k', ...body })).body.key);
    const order = { email: person.email, role: 'viewer' };
    const reader = await keyOf({ scopes: ['read'] });
    expect((await reader.get(members)).status).toBe(200);
    expectError(await reader.post(members, order), 403, 'Missing scope: members');
    const own = await keyOf({ scopes: ['members'] });
    expect((await own.post(members, order)).status).toBe(201);
    const ofProject = await keyOf({ project_id: projectId, role: 'owner' });
    expect((await ofProject.delete(`${members}/${person.id}`)).status).toBe(204);
    expect((await ofProject.post(members, order)).body.added_by).toBe(projectId);
    const low = await keyOf({ project_id: projectId, role: 'maintainer' });
    expectError(await low.post(members, order), 403, 'Missing role: owner');
  });
});

describe('The last owner', () => {
  it('can neither leave nor fall, until there is another one', async () => {
    const second = await add('maintainer');
    const refusals = [
      await owner.api.delete(`${members}/${owner.id}`),
      await owner.api.patch(`${members}/${owner.id}`, { role: 'viewer' }),
    ];
    for (const reply of refusals) {
      expectError(
        reply,
        409,
        "The last owner of a project can't leave or get a lower role: add another owner first",
      );
      expect(reply.body.code).toBe('last_owner');
    }
    await owner.api.patch(`${members}/${second.id}`, { role: 'owner' });
    expect((await owner.api.patch(`${members}/${owner.id}`, { role: 'viewer' })).status).toBe(200);
    expectError(await second.api.delete(`${members}/${second.id}`), 409);
  });

  it('is not counted while the account is deactivated', async () => {
    const second = await add('owner');
    expect((await operator.api.patch(`/users/${second.id}`, { is_active: false })).status).toBe(200);
    expectError(await owner.api.delete(`${members}/${owner.id}`), 409);
    expect((await owner.api.delete(`${members}/${second.id}`)).status).toBe(204);
  });

  it('stays when all owners leave at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const project = await createProject(owner);
      const second = await addMember(service, owner, project, 'owner');
      const leave = (app: TestApp, { id, accessToken }: Person) =>
        app.api.as(accessToken).delete(`/projects/${project}/members/${id}`);
      const replies = await Promise.all([leave(service, owner), leave(beside, second)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([204, 409]);
    }
  });
});

describe('A personal project', () => {
  it('has no other members, and its owner stays', async () => {
    const path = `/projects/${owner.id}/members`;
    const person = await registerPerson(service);
    for (const reply of [
      await owner.api.post(path, { email: person.email, role: 'viewer' }),
      await operator.api.post(path, { email: person.email, role: 'owner' }),
      await owner.api.patch(`${path}/${owner.id}`, { role: 'viewer' }),
      await owner.api.delete(`${path}/${owner.id}`),
    ]) {
      expectError(
        reply,
        409,
        "A personal project can't have other members, and its owner can't leave: create a project to share",
      );
      expect(reply.body.code).toBe('personal_project');
    }
    expect(await rolesIn(path)).toEqual({ [owner.id]: 'owner' });
  });
});

describe('An operator', () => {
  it('invites people into projects, and one that is missing or personal stops the invitation', async () => {
    const email = 'invited@example.com';
    const invite = (projects: unknown) => operator.api.post('/users', { email, projects });
    const role = 'deployer';
    for (const projects of [
      'x',
      [{ project_id: 'x', role }],
      [{ project_id: projectId, role: 'admin' }],
      [{ project_id: projectId, role, more: 1 }],
      Array(2).fill({ project_id: projectId, role }),
    ])
      expectError(await invite(projects), 422, /^projects must be a list/);
    const missing = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';
    expectError(await invite([{ project_id: missing, role }]), 404, 'Project not found');
    expectError(await invite([{ project_id: owner.id, role }]), 409, /personal/);
    const other = await createProject(owner);
    const reply = await invite([
      { project_id: projectId.toUpperCase(), role },
      { project_id: other, role: 'viewer' },
    ]);
    expect(reply.status).toBe(201);
    const { id } = reply.body.user;
    expect(await rolesIn()).toEqual({ [owner.id]: 'owner', [id]: role });
    expect((await rolesIn(`/projects/${other}/members`))[id]).toBe('viewer');
    expect(await actsOn()).toEqual([['member.add', { user_id: id, role }]]);
  });

  it('may deactivate the last owner: the agents of the project continue, and another one can be named', async () => {
    const agent = await createAgent(service, owner, { project_id: projectId });
    const viewer = await add('viewer');
    expect((await owner.api.post(`/agents/${agent.id}/deploy`)).status).toBe(200);
    const change = { is_active: false, stop_agents: true };
    expect((await operator.api.patch(`/users/${owner.id}`, change)).status).toBe(200);
    expectError(await owner.api.get(members), 403, 'Account is deactivated');
    expect((await viewer.api.get(`/agents/${agent.id}`)).body.deployments[0].status).toBe('deploying');
    const { body: entries } = await operator.api.get(`/audit?target_id=${owner.id}&action=user.update`);
    expect(entries[0].details).toMatchObject({ is_active: false });
    const heir = await registerPerson(service);
    const added = await operator.api.post(members, { email: heir.email, role: 'owner' });
    expect(added.status).toBe(201);
    expect((await heir.api.patch(`${members}/${viewer.id}`, { role: 'owner' })).status).toBe(200);
  });

  it('reads the members of every project and can add an owner, both audited, and nothing else', async () => {
    const person = await registerPerson(service);
    const viewer = await add('viewer');
    expect((await operator.api.get(members)).status).toBe(200);
    expectError(await operator.api.post(members, { email: person.email, role: 'viewer' }), 404);
    expectError(await operator.api.patch(`${members}/${viewer.id}`, { role: 'owner' }), 404);
    expectError(await operator.api.delete(`${members}/${viewer.id}`), 404);
    const added = await operator.api.post(members, { email: person.email, role: 'owner' });
    expect([added.status, added.body.added_by]).toEqual([201, operator.id]);
    const { body: entries } = await owner.api.get(`/audit?target_id=${projectId}&actor=user:${operator.id}`);
    expect(entries.map(({ action }: { action: string }) => action).sort()).toEqual([
      'member.add',
      'project.read',
    ]);
    expect((await person.api.patch(`/projects/${projectId}`, { name: 'Ours' })).status).toBe(200);
  });
});
