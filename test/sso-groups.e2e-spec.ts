import { GROUP_SETTINGS, projectWithGroups, refresh, signInWith } from './builders/sso-groups.js';
import { addMember } from './builders/projects.js';
import { SsoStage } from './builders/single-sign-on.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { untilSomeoneWaits, whileHeld } from './harness/held-lock.js';
import { startTestApp } from './harness/test-app.js';
import { withinASecond } from './harness/within-a-second.js';

let stage: SsoStage;

beforeAll(async () => {
  stage = await SsoStage.open(GROUP_SETTINGS);
});

beforeEach(() => stage.newcomer());

afterAll(async () => {
  await expectCleanAudit(stage.service.database);
  await stage.close();
});

const MAKERS = { group: 'makers', role: 'maintainer' };
const READERS = { group: 'readers', role: 'viewer' };

describe('A group of the identity provider', () => {
  it('counts where GET /auth/methods says so, and is refused elsewhere', async () => {
    expect((await stage.service.api.get('/auth/methods')).body.groups).toBe(true);
    const other = await startTestApp({ database: stage.service.database });
    try {
      expect((await other.api.get('/auth/methods')).body.groups).toBe(false);
      const { path, owner } = await projectWithGroups(stage.service, MAKERS);
      const there = other.api.as(owner.accessToken);
      const refused = await there.patch(path, { groups: [READERS] });
      expectError(refused, 409, /OIDC_GROUPS_CLAIM/);
      expect(refused.body.code).toBe('groups_off');
      expect((await there.patch(path, { groups: [] })).body.groups).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('makes its people members at a sign-in, each with the highest role of their groups', async () => {
    const { path, owner } = await projectWithGroups(stage.service, MAKERS, READERS);
    const { api, id } = await signInWith(stage, ['readers', 'makers', 'others']);
    expect((await api.get(path)).body).toMatchObject({ role: 'maintainer', groups: [MAKERS, READERS] });
    const { body } = await owner.api.get(`${path}/members`);
    expect(body[0]).toMatchObject({ user_id: id, role: 'maintainer', source: 'group', added_by: null });
    const { body: entries } = await owner.api.get('/audit?action=member.add');
    expect(entries[0]).toMatchObject({
      actor: 'service',
      details: { user_id: id, role: 'maintainer', source: 'group', group: 'makers' },
    });
    expect((await (await signInWith(stage, 'readers')).api.get(path)).body.role).toBe('viewer');
  });

  it.each([[undefined], [[]], [[7, null]], [{ a: 1 }], ['']])(
    'gives no membership when the claim is %j',
    async (claim) => {
      const { path } = await projectWithGroups(stage.service, READERS);
      expectError(await (await signInWith(stage, claim)).api.get(path), 404);
    },
  );

  it('takes the role back at the next sign-in of a person who has left it, in all of their sessions', async () => {
    const { path, owner } = await projectWithGroups(stage.service, MAKERS);
    const first = await signInWith(stage, ['makers']);
    expect((await first.api.get(path)).status).toBe(200);
    const second = await signInWith(stage, []);
    await withinASecond(async () => (await first.api.get(path)).status === 404);
    expectError(await second.api.get(path), 404);
    const { body } = await owner.api.get('/audit?action=member.remove');
    expect(body[0].details).toMatchObject({ user_id: first.id, role: 'maintainer', source: 'group' });
  });

  it('does not change a direct membership, and the higher role counts', async () => {
    const { path, owner, id } = await projectWithGroups(stage.service, MAKERS);
    const { id: userId, api } = await signInWith(stage, ['makers']);
    const refused = await owner.api.delete(`${path}/members/${userId}`);
    expectError(refused, 409, /a group of the identity provider/);
    expect(refused.body.code).toBe('member_by_group');
    const email = stage.provider.person.email!;
    await addMember(stage.service, owner, id, 'viewer', { ...owner, email });
    expect((await api.get(path)).body.role).toBe('maintainer');
    await signInWith(stage, []);
    await withinASecond(async () => (await api.get(path)).body.role === 'viewer');
  });

  it('gives its role to a user API key of its people too', async () => {
    const { path } = await projectWithGroups(stage.service, MAKERS);
    const { api } = await signInWith(stage, ['makers']);
    const { key } = (await api.post('/api-keys', { name: 'own' })).body;
    expect((await stage.service.api.as(key).get(path)).body.role).toBe('maintainer');
    await signInWith(stage, []);
    await withinASecond(async () => (await stage.service.api.as(key).get(path)).status === 404);
  });
});

describe('The groups of a project', () => {
  it('that are taken away take their role along at once, and leave that of the others', async () => {
    const { path, owner } = await projectWithGroups(stage.service, MAKERS, READERS);
    const maker = await signInWith(stage, ['makers']);
    stage.newcomer();
    const reader = await signInWith(stage, ['readers']);
    await owner.api.patch(path, { groups: [READERS] });
    await withinASecond(async () => (await maker.api.get(path)).status === 404);
    expect((await reader.api.get(path)).body.role).toBe('viewer');
    await owner.api.patch(path, { groups: [{ ...READERS, role: 'deployer' }] });
    await withinASecond(async () => (await reader.api.get(path)).body.role === 'deployer');
    const { body } = await owner.api.get('/audit?action=project.update');
    expect(body[0].details).toEqual({
      groups: { readers: 'deployer' },
      previous_groups: { readers: 'viewer' },
    });
  });

  it('that are added give their role at the next refresh', async () => {
    const { path, owner } = await projectWithGroups(stage.service);
    const person = await signInWith(stage, ['makers']);
    await owner.api.patch(path, { groups: [MAKERS] });
    expectError(await person.api.get(path), 404);
    await refresh(person, stage.service);
    await withinASecond(async () => (await person.api.get(path)).body.role === 'maintainer');
  });

  it('that change during a refresh give the new role, and work in the project delays no refresh', async () => {
    const { path, id } = await projectWithGroups(stage.service, MAKERS);
    const { database } = stage.service;
    const person = await signInWith(stage, ['makers']);
    const change = `UPDATE project_groups SET role = 'viewer' WHERE project_id = '${id}'`;
    await whileHeld(database, change, async (release) => {
      const refreshed = refresh(person, stage.service);
      await untilSomeoneWaits(database);
      await release();
      await refreshed;
    });
    await withinASecond(async () => (await person.api.get(path)).body.role === 'viewer');
    stage.newcomer();
    const other = await signInWith(stage, []);
    stage.provider.change({ groups: ['makers'] });
    await whileHeld(database, `SELECT FROM projects WHERE id = '${id}' FOR NO KEY UPDATE`, async () => {
      await refresh(other, stage.service);
      await withinASecond(async () => (await other.api.get(path)).body.role === 'viewer');
    });
  });

  it('stay as they are when a change does not name them, and are in the audit log once', async () => {
    const { path, owner } = await projectWithGroups(stage.service, MAKERS);
    expect((await owner.api.patch(path, { name: 'Paid' })).body).toMatchObject({
      name: 'Paid',
      groups: [MAKERS],
    });
    await owner.api.patch(path, { groups: [MAKERS] });
    const { body } = await owner.api.get('/audit?action=project.update');
    expect(body).toHaveLength(2);
  });

  it('are a list with bounds, each group once', async () => {
    const { path, owner } = await projectWithGroups(stage.service);
    const many = Array.from({ length: 101 }, (_, n) => ({ group: `g${n}`, role: 'viewer' }));
    const long = { group: '🐘'.repeat(201), role: 'viewer' };
    const longest = { group: '🐘'.repeat(200), role: 'viewer' };
    const refused = ['x', null, [{ group: '', role: 'viewer' }], [MAKERS, MAKERS], [{ group: 'x' }], [long]];
    for (const groups of [...refused, many, [{ ...MAKERS, role: 'king' }], [{ ...MAKERS, more: 1 }]])
      expectError(
        await owner.api.patch(path, { groups }),
        422,
        /^groups must be a list of at most 100 objects/,
      );
    expect((await owner.api.patch(path, { groups: [...many.slice(2), longest] })).status).toBe(200);
    expectError(await owner.api.patch(`/projects/${owner.id}`, { groups: [MAKERS] }), 409, /personal/);
  });

  it('are for owners to change, and for every member to see', async () => {
    const { path, owner, id } = await projectWithGroups(stage.service, MAKERS);
    const member = await addMember(stage.service, owner, id, 'maintainer');
    expectError(await member.api.patch(path, { groups: [] }), 403, 'Missing role: owner');
    expect((await member.api.get(path)).body.groups).toEqual([MAKERS]);
    expect((await member.api.get('/projects')).body[1]).not.toHaveProperty('groups');
  });

  it('go with the project', async () => {
    const { path, owner } = await projectWithGroups(stage.service, MAKERS);
    const { api } = await signInWith(stage, ['makers']);
    expect((await owner.api.delete(path)).status).toBe(204);
    await withinASecond(async () => (await api.get(path)).status === 404);
    expectError(await (await signInWith(stage, ['makers'])).api.get(path), 404);
  });
});
