import type { Page } from 'playwright-core';
import { createAgent, deploy, obey, report } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import {
  accessibilityProblems,
  describeInBrowser,
  lookAt,
  picture,
  sidewaysScroll,
  signIn,
} from './browser.js';
import { PageStage } from './stage.js';

describeInBrowser('The list of agents', () => {
  let stage: PageStage;
  let owner: Person;
  let api: Person['api'];
  let page: Page;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    api = owner.api;
  });

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  async function open(screen: 'laptop' | 'phone'): Promise<void> {
    page = await stage.browser.visit({ screen });
    await signIn(page, stage.web.url, { email: owner.email, password: GOOD_PASSWORD });
  }

  it('has one line for each agent, with its ready replicas and running version, and opens it on a click anywhere', async () => {
    const name = `wide-${'long-'.repeat(20)}name`;
    const labels = { team: 'billing', purpose: 'reads-the-invoices-of-all-suppliers' };
    const agent = await createAgent(stage.service, owner, { name, labels });
    const deployment = await deploy(owner, agent);
    await obey(agent);
    await report(agent, deployment, { status: 'failed', error_message: 'gone' });
    await api.post(`/deployments/${deployment}/restart`);
    await api.patch(`/agents/${agent.id}`, { config: '{"env":{"MODEL":"small"}}' });
    await api.post('/agents', { name: 'wide-and-idle' });
    await open('laptop');
    await page.goto('/agents?q=wide-');
    const rows = page.getByRole('table', { name: 'Agents' }).getByRole('row');
    await rows.nth(2).waitFor();
    const wide = rows.nth(1);
    await wide.getByRole('cell', { name: '0 of 1' }).waitFor();
    await wide.getByRole('cell', { name: 'v1 (v2 saved)' }).waitFor();
    // the strip has the failure of this hour, not only what it is now
    await wide.getByRole('img', { name: 'This hour: failing' }).waitFor();
    await rows.nth(2).getByRole('img', { name: 'This hour: idle' }).waitFor();
    const heights = 'new Set([...document.querySelectorAll("tbody tr")].map((row) => row.offsetHeight)).size';
    expect(await page.evaluate(heights)).toBe(1);
    await picture(page, 'agents-one-line');
    expect([await accessibilityProblems(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await wide.getByText('team:billing').click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('Version 2 is saved, but not deployed: version 1 runs').waitFor();
    await page.goto('/deployments');
    await page.getByRole('cell', { name: 'v1', exact: true }).waitFor();
    await page.goto(`/deployments/${deployment}`);
    const facts = page.getByRole('region', { name: 'State' });
    await facts.getByText('Config version').waitFor();
  });

  it('shows the columns of its address, and keeps a view by its name', async () => {
    await api.post('/agents', { name: 'viewed', labels: { team: 'red', env: 'live' } });
    await open('laptop');
    await page.goto('/agents?q=viewed');
    const headers = page.getByRole('columnheader');
    await page.getByRole('button', { name: 'View', exact: true }).click();
    // the address holds the columns, and changes a moment after the click
    await page.getByRole('checkbox', { name: 'Connection' }).click();
    await page.waitForURL((url) => /columns=(?!.*connection)/.test(url.search));
    await page.getByRole('checkbox', { name: 'Type' }).click();
    await page.waitForURL((url) => url.search.includes('type'));
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('By label');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'By label' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture(page, 'agents-view');
    await page.goto('/agents');
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('link', { name: 'By label' }).click();
    await page.getByRole('columnheader', { name: 'Type' }).waitFor();
    await page.getByRole('cell', { name: 'env:live, team:red' }).waitFor();
    expect((await headers.allInnerTexts()).filter(Boolean)).toEqual([
      'Name',
      'Health',
      'Last 24 hours',
      'Ready',
      'Version',
      'Labels',
      'Type',
    ]);
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the view By label' }).click();
    await page.getByRole('link', { name: 'By label' }).waitFor({ state: 'detached' });
    expect(
      await page.evaluate('Object.entries(localStorage).find(([key]) => key.startsWith("agent-views-"))[1]'),
    ).toBe('[]');
  });

  it('has the whole reason of a failing agent on a line below its row, on both screens', async () => {
    const agent = await createAgent(stage.service, owner, { name: 'broken-reader' });
    const deployment = await deploy(owner, agent);
    await obey(agent);
    const why = "exit code 1: ModuleNotFoundError: No module named 'invoices_reader'";
    await report(agent, deployment, { status: 'failed', error_message: why });
    await api.post('/projects', { name: 'A project, so that the list has its widest form' });
    await open('laptop');
    await page.goto('/agents?q=broken');
    const row = page.getByRole('row', { name: /broken-reader/ });
    const reason = row.getByRole('cell', { name: /broken-reader/ }).getByTitle(why);
    await page.getByRole('columnheader', { name: 'Project' }).waitFor();
    for (const screen of ['laptop', 'phone'] as const) {
      await lookAt(page, { screen });
      await reason.waitFor();
      const hidden = await reason.evaluate((text) => [
        text.scrollWidth - text.clientWidth,
        text.scrollHeight - text.clientHeight,
      ]);
      expect([...hidden, await sidewaysScroll(page)]).toEqual([0, 0, 0]);
      await picture(page, `agents-reason-${screen}`);
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto('/agents?q=broken&columns=ready');
    await row.waitFor();
    expect(await reason.count()).toBe(0);
  });
});
