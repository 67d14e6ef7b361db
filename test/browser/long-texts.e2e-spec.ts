import type { Locator, Page } from 'playwright-core';
import { createAgent, deploy, obey, report } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import { describeInBrowser, signIn, sidewaysScroll } from './browser.js';
import { PageStage } from './stage.js';

const PROJECT = 'Payments and reconciliation of the invoices of all suppliers in Europe, Asia and Africa';
const NODE = 'ip-10-0-17-4.eu-central-1.compute.internal';
const TRACE = [
  'Traceback (most recent call last):',
  '  File "/srv/agents/reader/main.py", line 214, in <module>',
  '    import invoices_reader',
  "ModuleNotFoundError: No module named 'invoices_reader'",
].join('\n');
const LINES_OF_A_ROW = 2;

describeInBrowser('A list with long texts', () => {
  let stage: PageStage;
  let ada: Person;
  let page: Page;

  beforeAll(async () => {
    stage = await PageStage.open();
    ada = await registerPerson(stage.service);
    const { body: project } = await ada.api.post('/projects', { name: PROJECT });
    const agent = await createAgent(stage.service, ada, { name: 'reader', project_id: project.id });
    const deployment = await deploy(ada, agent);
    await obey(agent);
    await ada.api.post(`/agents/${agent.id}/schedules`, { cron: '0 9 * * *' });
    await ada.api.post(`/agents/${agent.id}/runs`, { name: 'daily' });
    const { body } = await agent.runtime.post('/agents/runs/claim', {});
    const [{ run_id, attempt }] = body.runs;
    await agent.runtime.post('/agents/runs', { runs: [{ run_id, attempt, status: 'failed', error: TRACE }] });
    await report(agent, deployment, { status: 'failed', error_message: TRACE, node_id: NODE });
  });

  afterAll(() => stage.close());

  beforeEach(async () => {
    page = await stage.browser.visit();
    await signIn(page, stage.web.url, { email: ada.email, password: GOOD_PASSWORD });
  });

  /** The number of lines that a cell takes. */
  const linesOf = (cell: Locator): Promise<number> =>
    cell.evaluate((it: any) => {
      const content = it.querySelector('div');
      const lineHeight = it.ownerDocument.defaultView.getComputedStyle(content).lineHeight;
      return Math.round(content.offsetHeight / Number.parseFloat(lineHeight));
    });

  it.each([['/deployments'], ['/schedules'], ['/runs'], ['/agents']])(
    'has at most two lines for the name of a project, whose title is the whole, on %s',
    async (path) => {
      await page.goto(path);
      const row = page.getByRole('row', { name: /reader/ });
      const cell = row.getByRole('cell').filter({ has: page.getByTitle(PROJECT) });
      await cell.waitFor();
      expect(await linesOf(cell)).toBeLessThanOrEqual(LINES_OF_A_ROW);
      expect(await sidewaysScroll(page)).toBe(0);
    },
  );

  it.each([['/deployments'], ['/runs']])(
    'has the exception of a stack trace, and all of it as the title, on %s',
    async (path) => {
      await page.goto(path);
      const reason = page.getByRole('row', { name: /reader/ }).getByTitle('Traceback');
      await reason.waitFor();
      expect(await reason.innerText()).toBe("ModuleNotFoundError: No module named 'invoices_reader'");
      expect(await reason.getAttribute('title')).toBe(TRACE);
    },
  );

  it('has at most two lines for the node of a deployment', async () => {
    await page.goto('/deployments');
    const cell = page.getByRole('cell').filter({ has: page.getByTitle(NODE) });
    await cell.waitFor();
    expect(await linesOf(cell)).toBeLessThanOrEqual(LINES_OF_A_ROW);
  });
});

describeInBrowser('The bar above a page', () => {
  it('has its last button within the window when that is 320 px wide', async () => {
    const stage = await PageStage.open();
    try {
      const { email } = await registerPerson(stage.service);
      const page = await stage.browser.visit();
      await page.setViewportSize({ width: 320, height: 640 });
      await signIn(page, stage.web.url, { email, password: GOOD_PASSWORD });
      await page.goto('/pauses');
      const account = page.getByRole('button', { name: /your account/ });
      await account.waitFor();
      const { x, width } = (await account.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(320);
      expect(await sidewaysScroll(page)).toBe(0);
    } finally {
      await stage.close();
    }
  });
});
