import type { Page } from 'playwright-core';
import { createAgent, deploy, obey, type TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { addMember, createProject } from '../builders/projects.js';
import { ask, claim, createWorker, tell } from '../builders/runs.js';
import { storeUsage } from '../builders/usage.js';
import { until } from '../harness/until.js';
import { describeInBrowser, expectAccessibleInAllLooks, refused, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;
const DAY_MS = 86_400_000;

describeInBrowser('Usage and budgets in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  let owner: Person;
  let reader: TestAgent;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    reader = await createAgent(stage.service, owner, { name: 'invoice-reader' });
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  async function visitAs({ email }: Person, path: string): Promise<void> {
    page = await stage.browser.visit();
    await signIn(page, stage.web.url, { email, password: GOOD_PASSWORD });
    await page.goto(path);
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const radio = (name: string) => page.getByText(name, { exact: true });
  const table = (name: string) => page.getByRole('table', { name });
  const limit = () => page.getByRole('textbox', { name: 'Limit', exact: true });
  const budgetsOf = async (): Promise<any[]> => (await owner.api.get('/budgets')).body;

  /** Usage of the reader on each of the last days, and of another agent whose model has no price. */
  async function use(days: number): Promise<void> {
    const writer = await createAgent(stage.service, owner, { name: 'report-writer' });
    await storeUsage(
      stage.service,
      Array.from({ length: days }, (_, ago) => ({
        at: new Date(Date.now() - ago * DAY_MS).toISOString(),
      })).flatMap((hour, ago) => [
        {
          ...hour,
          project_id: owner.id,
          agent_id: reader.id,
          llm_calls: 4,
          cost_micros: 1_500_000,
          input_tokens: 9_000,
        },
        ...(ago === 2
          ? [
              {
                ...hour,
                project_id: owner.id,
                agent_id: writer.id,
                model: 'our-own',
                llm_calls: 3,
                uncosted_calls: 3,
              },
            ]
          : []),
      ]),
    );
  }

  it(
    'explain how to send usage while there is none, and show it by day, agent and model, with calls without a price',
    async () => {
      await visitAs(owner, '/');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click();
      await page.getByRole('heading', { name: 'No usage in this period' }).waitFor();
      const docs = page.getByRole('main').getByRole('link', { name: 'API documentation' });
      expect(await docs.getAttribute('href')).toBe(`${stage.service.url}/docs`);
      await use(10);
      await radio('7 d').click();
      const facts = page.getByLabel('Usage', { exact: true });
      await facts.getByText('$10.50').waitFor();
      await facts.getByText('3 calls without a price').waitFor();
      await table('Usage by agent')
        .getByRole('row', { name: /^report-writer.*3 calls without a price/ })
        .waitFor();
      await until(async () => (await page.locator('.recharts-bar-rectangle').count()) === 7);
      await radio('90 d').click();
      await facts.getByText('$15.00').waitFor();
      await expectAccessibleInAllLooks(page, 'usage');
      await table('Usage by agent').getByRole('link', { name: 'invoice-reader' }).click();
      await table('Usage by model')
        .getByRole('row', { name: /^gpt-4o/ })
        .waitFor();
      await until(async () => (await facts.getByText('without a price').count()) === 0);
      await page.goto(`/agents/${reader.id}?tab=usage`);
      await table('Usage by model')
        .getByRole('row', { name: /^gpt-4o/ })
        .waitFor();
      await page.getByRole('link', { name: 'Spend of this agent' }).click();
      await page.getByRole('radio', { name: 'Model', exact: true }).waitFor({ state: 'attached' });
      expect(new URL(page.url()).searchParams.get('agent')).toBe(reader.id);
    },
    PATIENCE_MS,
  );

  it(
    'are on the overview: the spending of the last day, and the runs of an agent that fail',
    async () => {
      const worker = await createWorker(stage.service, owner, { name: 'broken' });
      const { id } = await ask(owner, worker);
      await claim(worker);
      await tell(worker, { run_id: id, status: 'failed' });
      await visitAs(owner, '/');
      const day = page.getByRole('region', { name: 'The last day' });
      await day.getByRole('link', { name: /^Spend *\$1\.50/ }).waitFor();
      await until(async () => (await page.locator('.recharts-bar-rectangle').count()) > 0);
      await expectAccessibleInAllLooks(page, 'overview');
      const failing = page.getByRole('region', { name: /^Agents with failing runs/ });
      await failing.getByRole('link', { name: 'broken' }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
      await page.waitForURL((url) => url.searchParams.get('agent') === worker.id);
      await page.goBack();
      await day.getByRole('link', { name: /this month/ }).click();
      await page.getByRole('radio', { name: 'This month', checked: true }).waitFor({ state: 'attached' });
    },
    PATIENCE_MS,
  );

  it(
    'compare two config versions by their runs, next to the difference of the configs',
    async () => {
      const worker = await createWorker(stage.service, owner, { name: 'compared' });
      const run = async () => {
        const { id } = await ask(owner, worker);
        // A claim passes over a run whose row something else has locked.
        await until(async () => (await claim(worker)).length === 1);
        const usage = [{ run_id: id, model: 'gpt-4o', cost_usd: 0.25 }];
        await worker.runtime.post('/agents/usage', { usage });
        await tell(worker, { run_id: id, status: 'succeeded' });
      };
      await run();
      for (const command of ['true', 'false'])
        await owner.api.patch(`/agents/${worker.id}`, { config: { run: { command: [command] } } });
      await owner.api.post(`/agents/${worker.id}/stop`);
      await deploy(owner, worker);
      await obey(worker);
      await run();
      await run();
      await visitAs(owner, `/agents/${worker.id}?tab=configuration`);
      await button('Compare').last().click();
      const figures = table('Runs of the last 30 days');
      const runs = figures.getByRole('row', { name: 'Runs 1 2' });
      await runs.waitFor();
      await figures.getByRole('row', { name: 'Cost of a run $0.25 $0.25' }).waitFor();
      await figures.getByRole('row', { name: 'Succeeded 100 % (1 of 1) 100 % (2 of 2)' }).waitFor();
      await page.getByRole('group', { name: 'Version 1 to version 3' }).waitFor();
      await expectAccessibleInAllLooks(page, 'version-comparison');
      await page.getByRole('combobox', { name: 'Compare with' }).click();
      await page.getByRole('option', { name: 'Version 2', exact: true }).click();
      await figures.getByRole('row', { name: 'Runs 1 0' }).waitFor();
      await page.getByRole('group', { name: 'Version 1 to version 2' }).waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'has an owner set, change and delete a budget, which shows its spending and that it is exceeded',
    async () => {
      await visitAs(owner, '/usage?tab=budgets');
      await page.getByRole('heading', { name: 'No budgets yet' }).waitFor();
      await button('New budget').click();
      const dialog = page.getByRole('dialog', { name: 'New budget' });
      await dialog.getByLabel('Name').fill('the month of the reader');
      await radio('One agent').click();
      await dialog.getByRole('combobox', { name: 'Agent' }).click();
      await page.getByRole('option', { name: 'invoice-reader' }).click();
      await limit().fill('1');
      await expectAccessibleInAllLooks(page, 'budget-dialog');
      await button('Create budget').click();
      const row = table('Budgets').getByRole('row', { name: /^the month of the reader/ });
      await row.getByText('exceeded', { exact: true }).waitFor();
      await row.getByRole('link', { name: 'invoice-reader' }).waitFor();
      expect(await budgetsOf()).toMatchObject([
        { agent_id: reader.id, limit: { usd: '1.000000' }, period: 'month' },
      ]);
      await expectAccessibleInAllLooks(page, 'budgets');
      await button('Actions for the month of the reader').click();
      await page.getByRole('menuitem', { name: 'Change' }).click();
      await limit().fill('500');
      await button('Save').click();
      await row.getByText('ok', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Spend' }).click();
      await page.getByRole('region', { name: 'Budgets' }).getByText('of $500.00').waitFor();
      await page.getByRole('link', { name: 'All budgets' }).click();
      await button('Actions for the month of the reader').click();
      await page.getByRole('menuitem', { name: 'Delete budget' }).click();
      await button('Delete budget').click();
      await page.getByRole('heading', { name: 'No budgets yet' }).waitFor();
      expect(await budgetsOf()).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'shows budgets to a member who is no owner, and the role that may change them',
    async () => {
      const project = await createProject(owner, 'Billing');
      const member = await addMember(stage.service, owner, project, 'maintainer');
      const body = { name: 'calls', project_id: project, period: 'day', limit: { llm_calls: 5 } };
      expect((await owner.api.post('/budgets', body)).status).toBe(201);
      await visitAs(member, `/usage?tab=budgets&project=${project}`);
      await table('Budgets').getByText('0 of 5 LLM calls').waitFor();
      const author = table('Budgets').getByRole('link', { name: owner.email });
      expect(await author.getAttribute('href')).toBe(`/audit?actor=user%3A${owner.id}`);
      await refused(page.getByRole('button', { name: /^New budget/ }), 'Needs the role owner');
      await button('Actions for calls').click();
      await refused(page.getByRole('menuitem', { name: /^Change/ }), 'Needs the role owner');
    },
    PATIENCE_MS,
  );
});
