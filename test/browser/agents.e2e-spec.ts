import type { Page } from 'playwright-core';
import { insertAgents, obey, report } from '../builders/agents.js';
import { GOOD_PASSWORD } from '../builders/people.js';
import type { ApiClient } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import { accessibilityProblems, describeInBrowser, picture, sidewaysScroll, signUp } from './browser.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import { PageStage } from './stage.js';

const OPERATOR = { email: 'ada@example.com', password: GOOD_PASSWORD };

describeInBrowser('The page of agents', () => {
  let stage: PageStage;
  let api: ApiClient;
  let page: Page;

  beforeAll(async () => {
    stage = await PageStage.open();
    const somebody = (await stage.browser.visit()).context();
    await signUp(somebody, stage.web.url, OPERATOR.email, OPERATOR.password, { setup_token: SETUP_TOKEN });
    const { body } = await stage.service.api.post('/auth/login', OPERATOR);
    api = stage.service.api.as(body.access_token);
    await insertAgents(stage.service.database, OPERATOR.email, 300);
  });

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  async function open(screen: 'laptop' | 'phone'): Promise<void> {
    page = await stage.browser.visit({ screen });
    await page.request.post('/api/auth/login', { headers: { origin: stage.web.url }, data: OPERATOR });
  }

  /** Carries out the agent's commands, and reports its deployment as running. */
  async function bringUp({ id, api_key: key }: { id: string; api_key: string }): Promise<string> {
    const agent = { id, key, runtime: stage.service.api.as(key) };
    await obey(agent);
    const [deployment] = (await api.get(`/deployments?agent_id=${id}`)).body;
    await report(agent, deployment.id, { status: 'running' });
    return deployment.id;
  }

  it('finds one of three hundred agents, with the filter in its address and only the visible rows rendered', async () => {
    await open('laptop');
    await page.goto('/agents?type=scraper&sort=name');
    const rows = page.getByRole('table', { name: 'Agents' }).getByRole('link');
    await rows.first().waitFor();
    expect(await rows.first().innerText()).toBe('crawler-1');
    expect(await rows.count()).toBeLessThan(60);
    // reaching the end loads a further hundred each time
    await until(async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return (await rows.last().innerText()) === 'crawler-99';
    });
    expect(await rows.count()).toBeLessThan(60);
    await page.getByRole('textbox', { name: 'Search agents' }).fill('ler-299');
    await until(async () => (await rows.count()) === 1);
    expect(new URL(page.url()).search).toBe('?type=scraper&sort=name&q=ler-299');

    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/^Find an agent/).fill('crawler-123');
    await page
      .getByRole('button', { name: /^crawler-123/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'crawler-123' }).waitFor();
  });

  it('names the key that changed an agent on its page and in the audit log, which finds all that the key did', async () => {
    const { id: keyId, key } = (await api.post('/api-keys', { name: 'nightly' })).body;
    const byKey = stage.service.api.as(key);
    const { id } = (await byKey.post('/agents', { name: 'made-by-key' })).body;
    const run = (await byKey.post(`/agents/${id}/runs`)).body;
    await api.post('/agents', { name: 'another' });
    await open('laptop');
    await page.goto(`/agents/${id}`);
    const who = page.getByRole('link', { name: `the key nightly of ${OPERATOR.email}` });
    await page.getByRole('region', { name: 'Timeline' }).locator(who).waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
    const log = page.getByRole('table', { name: 'Audit log' });
    await log.getByText('agent.create').waitFor();
    const runLink = log.getByRole('link', { name: `run …${run.id.slice(-8)}` });
    expect(await runLink.getAttribute('href')).toBe(`/runs/${run.id}`);
    await log.locator(who).first().click();
    await page.waitForURL(`**/audit?actor=key%3A${keyId}`);
    await log.getByText('agent.create').waitFor();

    await page.goto('/audit');
    await page.getByRole('combobox', { name: 'About an agent' }).fill('made-by-k');
    await page.getByRole('option', { name: 'made-by-key' }).click();
    await page.waitForURL(`**/audit?agent=${id}`);
    await log.getByRole('link', { name: 'run of made-by-key' }).waitFor();
    await until(async () => (await log.getByText(/^(agent|run)\./).count()) === 2);
  });

  it('lists its keys, leads to pages and to its search, and stops an agent by the keyboard', async () => {
    const { id } = (await api.post('/agents', { name: 'invoice-reader' })).body;
    const deployment = (await api.post(`/agents/${id}/deploy`)).body;
    await open('laptop');
    await page.goto('/agents');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const search = page.getByRole('textbox', { name: 'Search agents' });
    await search.waitFor();
    await page.getByRole('main').focus();
    // the keys are loaded a moment after the page
    await until(async () => {
      await page.keyboard.press('?');
      return keys.isVisible();
    });
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture(page, 'keys');
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    for (const [key, name] of [
      ['r', 'Runs'],
      ['a', 'Agents'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await search.waitFor();
    await page.keyboard.press('/');
    await until(() => search.evaluate((it) => it === it.ownerDocument.activeElement));
    // typed there, a character is a character
    await page.keyboard.type('a/b?');
    expect(await search.inputValue()).toBe('a/b?');

    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/^Find an agent/).fill('stop invoi');
    await page.getByRole('button', { name: /^Stop invoice-reader/ }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Stop invoice-reader?' });
    const button = dialog.getByRole('button', { name: 'Stop agent' });
    // the dialog takes the focus once, a moment after it opens
    await until(() => dialog.evaluate((it) => it.contains(it.ownerDocument.activeElement)));
    await button.focus();
    expect((await api.get(`/deployments/${deployment.id}`)).body.status).not.toBe('stopping');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await api.get(`/deployments/${deployment.id}`)).body.status).toMatch(/^stop/);
  });

  it('applies an action to all selected rows, and shows the outcome of each', async () => {
    const agents = [];
    for (const name of ['bulk-one', 'bulk-two']) agents.push((await api.post('/agents', { name })).body);
    const { id } = (await api.post(`/agents/${agents[0].id}/deploy`)).body;
    await api.post(`/deployments/${id}/stop`);
    await open('laptop');
    await page.goto('/agents?q=bulk-');
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    // a checkbox above its own tick looks the same, checked or not
    expect(await page.evaluate('getComputedStyle(document.querySelector("td input")).zIndex')).toBe('auto');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Deploy 2 agents' }).click();
    await dialog.getByText('2 of 2 done').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await page.goto('/deployments?q=bulk-');
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByRole('button', { name: 'Stop 3' }).click();
    await dialog.getByText('2 of 3 done, 1 refused').waitFor();
    await dialog.getByText('Can only stop active deployments').waitFor();
    await page.goto('/deployments?q=bulk-&status=stopped');
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    await dialog.getByRole('button', { name: 'Restart 3' }).click();
    await page.getByText('No deployment matches').waitFor();
    await dialog.getByText('3 of 3 done (3 started)').waitFor();

    const running = await bringUp(agents[1]);
    await page.goto('/deployments?q=bulk-');
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    await dialog.getByRole('button', { name: 'Restart 3' }).click();
    await dialog.getByText('1 of 3 done (1 rolling), 2 refused').waitFor();
    const [step] = (await api.get(`/deployments/${running}/events`)).body.items;
    expect(step).toMatchObject({ event_type: 'restart', status: 'running' });

    await api.post(`/deployments/${running}/scale`, { replicas: 3 });
    await page.goto('/agents?q=bulk-two');
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog.getByRole('button', { name: 'Deploy 1 agent' }).click();
    await dialog.getByText('1 of 1 done').waitFor();
    const next = await bringUp(agents[1]);
    expect(next).not.toBe(running);
    await until(async () => (await api.get(`/deployments/${next}`)).body.replicas === 3);
    await page.goto('/');
    await page.getByRole('link', { name: /progressing/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    expect(new URL(page.url()).search).toBe('?health=progressing');
  });

  it('lists agents whose runtime is too old, from the overview on, until the filter is removed', async () => {
    await api.post('/agents/register', {
      name: 'ancient',
      runtime: { name: 'mine', version: '0.1', protocol: 0 },
    });
    await open('laptop');
    await page.goto('/');
    await page.getByRole('link', { name: '1: Agents with an outdated runtime' }).click();
    const rows = page.getByRole('table', { name: 'Agents' }).getByRole('link');
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual(['ancient']);
    expect([await accessibilityProblems(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await rows.first().click();
    await page.getByText('mine 0.1, protocol 0, too old for the service').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'outdated runtime: remove this filter' }).click();
    await rows.nth(1).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('counts agents by a label, worst first, and opens a group with the other filters', async () => {
    const made = [];
    for (const [name, team] of [
      ['group-a', 'red'],
      ['group-b', 'blue'],
      ['group-c', 'blue'],
    ])
      made.push((await api.post('/agents', { name, labels: { team } })).body);
    await api.post(`/agents/${made[2].id}/deploy`);
    await open('phone');
    await page.goto('/agents?q=group-');
    await page.getByRole('combobox', { name: 'Groups' }).click();
    await page.getByRole('option', { name: 'By label team' }).click();
    const groups = page.getByRole('table', { name: 'Agents by label team' });
    await groups.waitFor();
    expect(await groups.getByRole('row').allInnerTexts()).toEqual(
      ['Label team', 'blue', 'red'].map((name) => expect.stringMatching(`^${name}\\s`)),
    );
    expect(await groups.getByRole('row').nth(1).innerText()).toMatch(/\b1\b[^]*\b2\b/);
    expect([await accessibilityProblems(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await picture(page, 'agent-groups-phone');
    await groups.getByRole('link', { name: 'blue' }).click();
    const agents = page.getByRole('table', { name: 'Agents', exact: true });
    await agents.waitFor();
    expect(new URL(page.url()).search).toBe('?q=group-&label=team%3Ablue');
    expect(await agents.getByRole('link').allInnerTexts()).toEqual(['group-c', 'group-b']);
  });

  it('takes all matching agents, not only loaded ones, with their number on a red button', async () => {
    await open('laptop');
    await page.goto('/agents?q=crawler-1');
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByText('100 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 111 agents that match' }).click();
    await page.getByText('111 selected').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('and 11 more').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture(page, 'bulk-stop');
    // the first four wait until the rest is left
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/stop', async (route) => {
      await released;
      await route.continue();
    });
    const red = dialog.getByRole('button', { name: 'Stop 111 agents' });
    const button = "[...document.querySelectorAll('[role=dialog] button')].at(-1)";
    expect(await page.evaluate(`getComputedStyle(${button}).backgroundColor`)).toMatch(
      /^rgb\(2\d\d, \d\d, \d\d\)$/,
    );
    await red.click();
    await dialog.getByRole('button', { name: 'Skip the rest' }).click();
    release();
    await dialog.getByText('4 of 111 done').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' });
  });
});
