import type { Locator, Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { createProject, setMembership } from '../builders/projects.js';
import { GROUPS_WITHOUT_PROVIDER } from '../builders/sso-groups.js';
import { describeInBrowser, expectAccessibleInAllLooks, refused, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;

describeInBrowser('A project in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  let owner: Person;
  let member: Person;
  let project: string;
  let agent: string;

  beforeAll(async () => {
    stage = await PageStage.open(GROUPS_WITHOUT_PROVIDER);
    owner = await registerOperator(stage.service, 'ada@example.com');
    member = await registerPerson(stage.service, 'bob@example.com');
    project = await createProject(owner, 'Billing');
    await setMembership(stage.service, project, member, 'viewer');
    agent = (await owner.api.post('/agents', { name: 'billing-agent', project_id: project })).body.id;
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  async function visitAs({ email }: Person): Promise<void> {
    page = await stage.browser.visit();
    await signIn(page, stage.web.url, { email, password: GOOD_PASSWORD });
  }

  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const expectAccessible = (name: string) => expectAccessibleInAllLooks(page, `project-${name}`);

  async function pick(field: Locator, option: string): Promise<void> {
    await field.click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  it(
    'has members, whom an owner adds by address, moves to another role and removes',
    async () => {
      await registerPerson(stage.service, 'dave@example.com');
      await visitAs(owner);
      await page.goto('/projects');
      await expectAccessible('list');
      await page.getByRole('link', { name: 'Billing' }).click();
      const row = (email: string) => page.getByRole('row').filter({ hasText: email });
      await row(member.email).waitFor();
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Add member' }).click();
      await dialog.getByLabel('Email').fill('nobody@example.com');
      await dialog.getByRole('button', { name: 'Add member' }).click();
      await dialog.getByText('No account has this address').waitFor();
      await expectAccessible('add-member');
      await dialog.getByLabel('Email').fill('dave@example.com');
      await dialog.getByRole('button', { name: 'Add member' }).click();
      await row('dave@example.com').getByRole('cell', { name: 'deployer' }).waitFor();
      await expectAccessible('members');

      const ask = async (what: string) => {
        await page.getByRole('button', { name: 'Actions for dave@example.com' }).click();
        await page.getByRole('menuitem', { name: what }).click();
      };
      await ask('Change role');
      await pick(dialog.getByRole('combobox', { name: 'Role' }), 'maintainer');
      await dialog.getByRole('button', { name: 'Change role' }).click();
      await row('dave@example.com').getByRole('cell', { name: 'maintainer' }).waitFor();
      await ask('Remove member');
      await dialog.getByRole('button', { name: 'Remove member' }).click();
      await row('dave@example.com').waitFor({ state: 'detached' });
      // the last owner
      await refused(page.getByRole('button', { name: /^Leave/ }), 'You are the only owner');
    },
    PATIENCE_MS,
  );

  it('invites a person without an account by a link of an operator', async () => {
    await visitAs(owner);
    await page.goto(`/projects/${project}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add member' }).click();
    await dialog.getByLabel('Email').fill('eve@example.com');
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await dialog.getByRole('button', { name: 'Create the account' }).click();
    await dialog.getByRole('region', { name: 'link' }).waitFor();
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByRole('row').filter({ hasText: 'eve@example.com' }).waitFor();
  });

  it(
    'has groups that give roles, which an owner changes',
    async () => {
      const id = await createProject(owner, 'Grouped');
      const carol = await registerPerson(stage.service, 'carol@example.com');
      await setMembership(stage.service, id, carol, 'maintainer');
      await visitAs(owner);
      await page.goto(`/projects/${id}`);
      const groups = () => page.getByRole('region', { name: 'Groups' });
      await groups().getByText('No group of the identity provider').waitFor();
      await groups().getByRole('button', { name: 'Change groups' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Group 1', { exact: true }).fill('makers');
      await pick(dialog.getByRole('combobox', { name: 'Role of group 1' }), 'maintainer');
      await dialog.getByRole('button', { name: 'Add a group' }).click();
      await dialog.getByLabel('Group 2', { exact: true }).fill('makers');
      await dialog.getByText('Each group can be listed only once').waitFor();
      await dialog.getByLabel('Group 2', { exact: true }).fill('readers');
      await expectAccessible('groups-dialog');
      await dialog.getByRole('button', { name: 'Save groups' }).click();
      await groups().getByRole('row', { name: 'makers' }).getByRole('cell', { name: 'maintainer' }).waitFor();
      await groups().getByRole('button', { name: 'Change groups' }).click();
      await dialog.getByRole('button', { name: 'Remove group 1' }).click();
      await dialog.getByRole('button', { name: 'Save groups' }).click();
      await groups().getByRole('row', { name: 'makers' }).waitFor({ state: 'detached' });
      await groups().getByRole('row', { name: 'readers' }).waitFor();
      await expectAccessible('groups');
      await stage.browser.leave();
      await visitAs(carol);
      await page.goto(`/projects/${id}`);
      expect(
        await groups()
          .getByRole('button', { name: /^Change groups/ })
          .innerText(),
      ).toContain('owner');
    },
    PATIENCE_MS,
  );

  it(
    'has limits with their use, which operators change and members read',
    async () => {
      const id = await createProject(owner, 'Limited');
      const reader = await registerPerson(stage.service, 'reader@example.com');
      await setMembership(stage.service, id, reader, 'owner');
      await owner.api.post('/agents', { project_id: id });
      await visitAs(owner);
      await page.goto(`/projects/${id}`);
      const limits = () => page.getByRole('region', { name: 'Limits' });
      const cells = (name: string) => limits().getByRole('row', { name }).getByRole('cell').allInnerTexts();
      await limits().getByRole('button', { name: 'Change limits' }).click();
      const dialog = page.getByRole('dialog');
      const agents = dialog.getByLabel('Agents', { exact: true });
      const days = dialog.getByLabel('Logs are kept, days');
      await agents.fill('5');
      await days.fill('99');
      await days.press('Enter');
      await dialog.getByText('log_days must be at most 14').waitFor();
      await expectAccessible('limits-dialog');
      await days.fill('3');
      await days.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      expect((await cells('Agents')).slice(-3)).toEqual(['1', '5', 'this project']);
      expect((await cells('Logs are kept')).slice(-2)).toEqual(['3 days', 'this project']);
      await expectAccessible('limits');
      await limits().getByRole('button', { name: 'Change limits' }).click();
      await agents.fill('');
      await dialog.getByRole('button', { name: 'Save limits' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect((await cells('Agents')).slice(-2)).toEqual(['no limit', 'all projects']);
      const { body } = await owner.api.get(`/audit?target_id=${id}&action=project.update`);
      expect(body.map(({ details }: { details: object }) => details)).toEqual([
        { limits: { agents: null }, previous_limits: { agents: 5 } },
        { limits: { agents: 5, log_days: 3 }, previous_limits: { agents: null, log_days: null } },
      ]);
      await stage.browser.leave();
      await visitAs(reader);
      await page.goto(`/projects/${id}`);
      await limits().getByRole('row', { name: 'Logs are kept' }).waitFor();
      expect(
        await limits()
          .getByRole('button', { name: /^Change limits/ })
          .innerText(),
      ).toContain('Only operators change limits');
    },
    PATIENCE_MS,
  );

  it('of other people is found by an operator', async () => {
    const planner = await registerPerson(stage.service, 'planner@example.com');
    const others = await createProject(planner, 'Secret plans');
    await visitAs(owner);
    await page.goto('/projects');
    await page.getByText('Everybody’s').click();
    await page.getByLabel('Search projects').fill('secret');
    // The rows are replaced when the search answers; a click on one that goes is lost.
    await page.getByRole('table').getByRole('link').nth(1).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Secret plans' }).click();
    await page.getByText('You are an operator and no member').waitFor();
    expect(page.url()).toContain(others);
    expect(await page.getByRole('button', { name: /^Change groups/ }).count()).toBe(0);
    await page.goBack();
    await page.getByLabel('Search projects').waitFor();
    await expectAccessible('everybodys');
    await stage.browser.leave();
    await visitAs(planner);
    await page.goto('/projects?whose=everybodys');
    await page.getByRole('link', { name: 'Secret plans' }).waitFor();
    expect(await page.getByText('Everybody’s').count()).toBe(0);
  });

  it('is renamed, and deleted when it has no agents', async () => {
    const id = await createProject(owner, 'Short');
    await visitAs(owner);
    await page.goto(`/projects/${id}`);
    const dialog = page.getByRole('dialog');
    const ask = async (what: string) => {
      await page.getByRole('button', { name: /^Actions for Short/ }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await ask('Rename');
    await dialog.getByLabel('Name').fill('Shorter');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await heading('Shorter').waitFor();
    await ask('Delete project');
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await heading('Projects').waitFor();
    await page.getByRole('link', { name: 'Shorter' }).waitFor({ state: 'detached' });
  });

  it('is left by a member, who then sees none of its resources', async () => {
    await visitAs(member);
    await page.goto(`/projects/${project}`);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave project' }).click();
    await page.getByText('No shared projects yet').waitFor();
    expect(await page.getByRole('combobox', { name: 'Project' }).count()).toBe(0);
    await page.goto(`/agents/${agent}`);
    await heading('Agent not found').waitFor();
  });

  it('hands an agent over to another one', async () => {
    await visitAs(owner);
    await page.goto(`/agents/${agent}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Move to another project' }).click();
    const dialog = page.getByRole('dialog');
    await expectAccessible('move');
    await dialog.getByRole('button', { name: 'Move agent' }).click();
    await page.getByText('Project: Personal (you: owner)').waitFor();
    expect((await owner.api.get(`/agents/${agent}`)).body.project_id).toBe(owner.id);
  });
});
