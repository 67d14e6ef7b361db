import type { Locator, Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import { createProject, setMembership } from '../builders/projects.js';
import { until } from '../harness/until.js';
import { describeInBrowser, expectAccessibleInAllLooks, refused, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;

describeInBrowser('Projects in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  /** Owner of the project. */
  let ada: Person;
  /** Viewer of the project. */
  let bob: Person;
  /** A person without a shared project. */
  let carol: Person;
  let project: string;
  let agent: string;

  beforeAll(async () => {
    stage = await PageStage.open();
    ada = await registerPerson(stage.service, 'ada@example.com');
    bob = await registerPerson(stage.service, 'bob@example.com');
    carol = await registerPerson(stage.service, 'carol@example.com');
    project = await createProject(ada, 'Billing');
    await setMembership(stage.service, project, bob, 'viewer');
    await ada.api.post('/agents', { name: 'own-agent' });
    agent = (await ada.api.post('/agents', { name: 'billing-agent', project_id: project })).body.id;
    await carol.api.post('/agents', { name: 'carols-agent' });
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
  const projectSwitch = () =>
    page
      .getByRole('complementary', { name: 'Navigation and account' })
      .getByRole('combobox', { name: 'Project' });
  const agents = () => page.getByRole('table', { name: 'Agents' }).getByRole('link').allInnerTexts();
  const chosen = () => new URL(page.url()).searchParams.get('project');

  async function choose(name: string): Promise<void> {
    await projectSwitch().click();
    await page.getByRole('option', { name }).click();
  }

  async function pick(field: Locator, option: string): Promise<void> {
    await field.click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  const expectAccessible = (name: string) => expectAccessibleInAllLooks(page, `projects-${name}`);

  it('show a user without other projects one entry of the navigation, and no choice', async () => {
    await visitAs(carol);
    await page.goto('/agents');
    await page.getByRole('link', { name: 'carols-agent' }).click();
    await heading('carols-agent').waitFor();
    expect(await page.getByRole('combobox', { name: 'Project' }).count()).toBe(0);
    expect(await page.getByText('Project:').count()).toBe(0);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete agent' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Move to another project' }).count()).toBe(0);
    await page.goto('/agents/new');
    await page.getByRole('button', { name: 'Create agent' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Project' }).count()).toBe(0);
    expect(chosen()).toBeNull();

    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('No shared projects yet').waitFor();
    await expectAccessible('alone');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByLabel('Name').fill('Research');
    await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
    await heading('Research').waitFor();
    await projectSwitch().waitFor();
  });

  it(
    'narrow the lists to the chosen one, which is in the address and remembered',
    async () => {
      await visitAs(ada);
      const streams: string[] = [];
      const lists: string[] = [];
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (pathname.endsWith('/events/stream')) streams.push(search);
        if (/\/(overview|agents|deployments|webhooks|api-keys|audit|logs)$/.test(pathname))
          lists.push(search);
      });
      await page.goto('/agents');
      await until(async () => (await agents()).length === 2);
      expect(streams).toEqual([]);
      await choose('Billing');
      await until(async () => (await agents()).join() === 'billing-agent');
      expect(chosen()).toBe(project);
      await until(() => streams.join() === `?project_id=${project}`);
      lists.length = 0;
      for (const name of ['Overview', 'Deployments', 'Logs', 'API keys', 'Webhooks', 'Audit']) {
        await page.getByRole('link', { name, exact: true }).click();
        await heading(name).waitFor();
        await until(() => chosen() === project);
      }
      await until(() => lists.length >= 6);
      expect(lists.filter((search) => !search.includes(`project_id=${project}`))).toEqual([]);

      await page.goto('/agents');
      await until(async () => (await agents()).join() === 'billing-agent');
      await until(() => chosen() === project);
      await choose('All projects');
      await until(async () => (await agents()).length === 2);
      expect(chosen()).toBeNull();
      await page.getByRole('cell', { name: 'Billing', exact: true }).waitFor();
      await expectAccessible('all');
      // a link of another person's
      await page.goto(`/agents?project=${project}`);
      await until(async () => (await agents()).join() === 'billing-agent');
      await page.goto(`/agents?project=${carol.id}`);
      await until(() => chosen() === null);
      await until(async () => (await agents()).length === 2);
    },
    PATIENCE_MS,
  );

  it('show the events of the chosen one immediately', async () => {
    await visitAs(ada);
    await page.goto(`/deployments?project=${project}`);
    await page.getByText('Nothing has been deployed yet').waitFor();
    await ada.api.post(`/agents/${agent}/deploy`);
    await page.getByRole('link', { name: /^billing-agent/ }).click();
    await heading('Deployment of billing-agent').waitFor();
    await page.getByText('Project: Billing (you: owner)').waitFor();
  });

  it(
    'show a viewer the acts that the role does not allow, with the reason',
    async () => {
      await visitAs(bob);
      await page.goto(`/agents/${agent}`);
      await page.getByText('Project: Billing (you: viewer)').waitFor();
      const deploy = page.getByRole('button', { name: /^Deploy/ });
      await refused(deploy, 'Needs the role deployer');
      await deploy.focus();
      await page.getByRole('tooltip', { name: 'Needs the role deployer' }).waitFor();
      await page.keyboard.press('Enter');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await expectAccessible('viewer');
      await page.getByRole('button', { name: 'More actions' }).click();
      await refused(page.getByRole('menuitem', { name: /^Delete agent/ }), 'Needs the role maintainer');
      await expectAccessible('viewer-menu');
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Configuration' }).click();
      await refused(page.getByRole('button', { name: /^Edit/ }), 'Needs the role maintainer');

      await page.goto(`/agents?project=${project}`);
      await until(async () => (await agents()).join() === 'billing-agent');
      await refused(page.getByRole('button', { name: /^New agent/ }), 'Needs the role maintainer');
      await page.getByText('Your role: viewer').waitFor();
      await page.getByRole('checkbox', { name: 'Select billing-agent' }).check();
      await refused(
        page.getByRole('button', { name: /^Stop/ }),
        'Needs the role deployer in the project of billing-agent',
      );
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('heading', { name: 'Needs the role maintainer' }).waitFor();
      await expectAccessible('viewer-keys');
      await page.getByRole('link', { name: 'Projects', exact: true }).click();
      await page.getByRole('link', { name: 'Billing' }).click();
      await refused(page.getByRole('button', { name: /^Add member/ }), 'Needs the role owner');
    },
    PATIENCE_MS,
  );

  it('take new agents, webhooks and keys into the chosen one', async () => {
    await visitAs(ada);
    await page.goto(`/agents/new?project=${project}`);
    const field = page.getByRole('main').getByRole('combobox', { name: 'Project' });
    await until(async () => (await field.inputValue()) === 'Billing');
    await page.getByLabel('Name').fill('new-agent');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('region', { name: 'agent key' }).waitFor();

    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/hook');
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByText('Project: Billing (you: owner)').waitFor();

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('ci');
    expect(await dialog.getByRole('radio', { name: 'A project' }).isChecked()).toBe(true);
    await pick(dialog.getByRole('combobox', { name: 'Role' }), 'maintainer');
    await expectAccessible('key');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByText('project key, maintainer').waitFor();

    const projectsOf = async (path: string) => {
      const { body } = await ada.api.get(`${path}?limit=1`);
      return body[0].project_id;
    };
    expect(await Promise.all(['/agents', '/webhooks', '/api-keys'].map(projectsOf))).toEqual([
      project,
      project,
      project,
    ]);
  });
});
