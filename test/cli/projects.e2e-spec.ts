import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { GROUPS_WITHOUT_PROVIDER } from '../builders/sso-groups.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let grace: Person;
let svc: Svc;
let hers: Svc;

beforeAll(async () => {
  app = await startTestApp({ settings: GROUPS_WITHOUT_PROVIDER });
  ada = await registerPerson(app);
  grace = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
  hers = await Svc.loggedIn(app.url, grace.email);
});

afterAll(async () => {
  await Promise.all([svc, hers].map((it) => it.removeHome()));
  await app.close();
});

const one = /^Error: [^\n]+\n$/;
const names = (list: { name: string }[]) => list.map(({ name }) => name).sort();

describe('svc projects', () => {
  it('shows projects to a person who is alone only in the list of them', async () => {
    await createAgent(app, ada, { name: 'alone' });
    expect(await svc.succeeds(['whoami'])).not.toMatch(/project/i);
    expect(await svc.succeeds(['agents', 'list'])).not.toMatch(/project/i);
    expect(await svc.json(['projects', 'list'])).toEqual([
      expect.objectContaining({ id: ada.id, is_personal: true, role: 'owner' }),
    ]);
  });

  it('creates, renames and deletes a project', async () => {
    const made = await svc.json(['projects', 'create', 'short-lived']);
    expect(made).toMatchObject({ name: 'short-lived', is_personal: false, role: 'owner' });
    expect(await svc.json(['projects', 'rename', 'short-lived', 'renamed'])).toMatchObject({
      id: made.id,
      name: 'renamed',
    });
    expect(names(await svc.json(['projects', 'list', '-q', 'renam']))).toEqual(['renamed']);
    expect(await svc.run(['projects', 'delete', 'renamed'])).toMatchObject({ code: 2, stdout: '' });
    const byPrefix = ['projects', 'delete', made.id.slice(0, 20), '--yes'];
    expect(await svc.json(byPrefix)).toEqual({ deleted: made.id });
    expect(names(await svc.json(['projects', 'list']))).not.toContain('renamed');
  });

  it('adds members, gives them other roles, lists and removes them', async () => {
    await svc.succeeds(['projects', 'create', 'team']);
    const add = ['projects', 'add', 'team', grace.email, '--role'];
    expect(await svc.json([...add, 'viewer'])).toMatchObject({ user_id: grace.id, role: 'viewer' });
    expect(await svc.json([...add, 'deployer'])).toMatchObject({ user_id: grace.id, role: 'deployer' });
    expect(await svc.succeeds(['projects', 'members', 'team'])).toContain(grace.email);
    expect(await hers.succeeds(['whoami'])).toMatch(/^Project +\S+ \(owner\)\n +team \(deployer\)$/m);
    expect(await hers.json(['projects', 'remove', 'team', grace.email, '--yes'])).toEqual({
      removed: grace.id,
    });
    expect(names(await hers.json(['projects', 'list']))).not.toContain('team');
  });

  it('shows the groups that give roles, and changes some of them', async () => {
    await svc.succeeds(['projects', 'create', 'grouped']);
    const groups = ['projects', 'groups', 'grouped'];
    expect(await svc.json(groups)).toEqual([]);
    await svc.succeeds([...groups, '--set', 'makers=deployer', '--set', 'cn=a,dc=b=owner']);
    expect(await svc.json([...groups, '--set', 'makers=maintainer', '--remove', 'cn=a,dc=b'])).toEqual([
      { group: 'makers', role: 'maintainer' },
    ]);
    expect(await svc.succeeds(groups)).toMatch(/^makers +maintainer$/m);
    const unknown = await svc.run([...groups, '--remove', 'others']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/others gives no role/)]);
  });

  it('ends with 1 and one line with the next step when the service refuses', async () => {
    const project = await svc.json(['projects', 'create', 'kept']);
    await svc.succeeds(['agents', 'create', '--name', 'in it', '--project', project.id]);
    const refusals: [string[], RegExp][] = [
      [['projects', 'delete', 'kept', '--yes'], /The project has 1 agent: move or delete it first/],
      [['projects', 'remove', 'kept', ada.email, '--yes'], /owner/],
      [
        ['projects', 'add', 'kept', 'nobody@example.com', '--role', 'viewer'],
        /an operator can invite it: check how it is written/,
      ],
      [['projects', 'rename', ada.id, 'mine'], /personal/i],
      [['projects', 'members', 'nowhere'], /No project has the name "nowhere".*see "svc projects list"/],
      [['agents', 'list', '--project', grace.id], /Project not found: "svc projects list" shows yours/],
    ];
    for (const [args, reason] of refusals) {
      const outcome = await svc.run(args);
      expect([args, outcome.code, outcome.stdout]).toEqual([args, 1, '']);
      expect(outcome.stderr).toMatch(one);
      expect(outcome.stderr).toMatch(reason);
    }
  });
});

describe('--project and svc projects use', () => {
  it('narrow lists, names and new resources, until all are used again', async () => {
    const [a, b] = [await svc.json(['projects', 'create', 'a']), await svc.json(['projects', 'create', 'b'])];
    for (const project of ['a', 'b'])
      await svc.succeeds(['agents', 'create', '--name', 'twin', '--project', project]);
    expect((await svc.run(['agents', 'status', 'twin'])).stderr).toContain('"twin" is 2 agents');
    expect(await svc.json(['agents', 'status', 'twin', '--project', 'b'])).toMatchObject({
      project_id: b.id,
    });
    expect(await svc.succeeds(['agents', 'list'])).toMatch(/ PROJECT$/m);

    expect(await svc.json(['projects', 'use', 'a'])).toEqual({ project_id: a.id });
    expect(await svc.config()).toMatchObject({ api_url: app.url, project_id: a.id });
    expect(names(await svc.json(['agents', 'list']))).toEqual(['twin']);
    expect(await svc.json(['agents', 'create', '--name', 'new'])).toMatchObject({ project_id: a.id });
    expect(await svc.json(['agents', 'status', 'twin'])).toMatchObject({ project_id: a.id });
    expect(await svc.json(['agents', 'list', '--project', 'b'])).toHaveLength(1);
    expect(await svc.succeeds(['whoami'])).toMatch(/^Project +a \(owner\)$/m);
    const unknown = await svc.run(['agents', 'status', 'alone']);
    expect(unknown.stderr).toContain(`in the project ${a.id}: see "svc agents list"; --project all`);
    expect(names(await svc.json(['agents', 'list', '--project', 'all', '--all']))).toContain('alone');
    const key = await svc.json(['api-keys', 'create', '--name', 'mine']);
    expect(key).toMatchObject({ project_id: ada.id, role: null });
    const byKey = { env: { SERVICE_API_KEY: key.key } };
    expect(names(await svc.json(['agents', 'list', '--all'], byKey))).toContain('alone');
    expect((await svc.run(['projects', 'use', 'b'], byKey)).stderr).toContain('give --project');

    expect(await svc.json(['projects', 'use', 'all'])).toEqual({ project_id: null });
    expect(await svc.config()).not.toHaveProperty('project_id');
    expect(names(await svc.json(['agents', 'list', '--all']))).toContain('alone');
  });

  it('choose the project of webhooks, keys, deployments, events and the audit log', async () => {
    const { id } = await svc.json(['projects', 'create', 'all kinds']);
    const inIt = ['--project', 'all kinds'];
    const agent = await svc.json(['agents', 'create', '--name', 'deployed there', ...inIt]);
    const deployment = await svc.json(['agents', 'deploy', agent.id]);
    const hook = ['webhooks', 'create', '--url', 'https://example.com/hook', '--inactive'];
    const webhook = await svc.json([...hook, ...inIt]);
    const key = await svc.json(['api-keys', 'create', '--name', 'ci', '--role', 'viewer', ...inIt]);
    expect(key).toMatchObject({ project_id: id, role: 'viewer', scopes: ['*'] });
    const listed = async (...list: string[]) =>
      (await svc.json([...list, ...inIt])).map((it: { id: string }) => it.id);
    expect(await listed('deploy', 'list')).toEqual([deployment.id]);
    expect(await listed('webhooks', 'list')).toEqual([webhook.id]);
    expect(await listed('api-keys', 'list')).toContain(key.id);
    expect(await svc.json(['events', ...inIt])).toEqual([expect.objectContaining({ project_id: id })]);
    const acts = (await svc.json(['audit', ...inIt])).map((it: { action: string }) => it.action);
    expect(acts).toContain('webhook.create');
    expect(acts).not.toContain('user.login');
    const unknown = await svc.run(['api-keys', 'create', '--name', 'x', '--role', 'viewer']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('say which with --project')]);
  });
});

describe('svc agents move', () => {
  it('hands an agent over to another project', async () => {
    const agent = await createAgent(app, ada, { name: 'moved' });
    const { id } = await svc.json(['projects', 'create', 'other']);
    expect(await svc.json(['agents', 'move', 'moved', 'other'])).toMatchObject({
      id: agent.id,
      project_id: id,
    });
    expect(await svc.json(['agents', 'list', '--project', 'other'])).toHaveLength(1);
  });
});
