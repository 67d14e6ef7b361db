import type { BrowserContext, Page } from 'playwright-core';
import { GOOD_PASSWORD } from '../builders/people.js';
import type { ApiClient } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import { accessibilityProblems, describeInBrowser, picture, signUp } from './browser.js';
import { PageStage } from './stage.js';

/** Creates a fleet, and opens several pages, on a machine that may have other work to do. */
const PATIENCE_MS = 180_000;

const FLEET = 150;
/** The oldest agent: not among the first twenty, and its name is the beginning of others. */
const OLDEST = 'worker-1';
const LINE = 'a line of the oldest';

const LIST = '/api/dashboard/agents';

describeInBrowser('An agent among many', () => {
  let stage: PageStage;
  let oldest: string;
  let page: Page;
  /** Paths of the page's requests about agents since it was opened. */
  let asked: string[];

  const lists = () => asked.filter((path) => path.startsWith(`${LIST}?`));
  const options = () => page.getByRole('option');

  async function person(context: BrowserContext, email: string): Promise<ApiClient> {
    await signUp(context, stage.web.url, email, GOOD_PASSWORD);
    const { body } = await stage.service.api.post('/auth/login', { email, password: GOOD_PASSWORD });
    return stage.service.api.as(body.access_token);
  }

  async function visit(): Promise<void> {
    page = await stage.browser.visit();
    asked = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (new RegExp(`^${LIST}(/[0-9a-f-]+)?$`).test(pathname)) asked.push(pathname + search);
    });
  }

  async function signIn(email: string): Promise<void> {
    const reply = await page.request.post('/api/auth/login', {
      headers: { origin: stage.web.url },
      data: { email, password: GOOD_PASSWORD },
    });
    expect(reply.status()).toBe(200);
  }

  beforeAll(async () => {
    stage = await PageStage.open();
    const context = (await stage.browser.visit()).context();
    const api = await person(context, 'many@example.com');
    const first = (await api.post('/agents', { name: OLDEST })).body;
    oldest = first.id;
    await stage.service.api
      .as(first.api_key)
      .post('/agents/logs', { logs: [{ level: 'info', message: LINE }] });
    for (let number = 2; number <= FLEET; number++) await api.post('/agents', { name: `worker-${number}` });
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  beforeEach(async () => {
    stage.browser.complaints.length = 0;
    await visit();
    await signIn('many@example.com');
  });

  afterEach(() => expect(stage.browser.complaints).toEqual([]));

  it('has its lines on the page of all logs before the list of agents has arrived', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**${LIST}?*`, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/logs');
    await page.getByText(LINE).waitFor();
    await page.getByRole('link', { name: OLDEST, exact: true }).waitFor();
    answer();
    await page.getByText('New lines every 5 s').waitFor();
    await page.getByRole('combobox', { name: 'Agents' }).click();
    await until(async () => (await options().count()) === 21);
    // one list of agents to follow, one of options
    expect(asked).toEqual([`${LIST}?limit=100`, `${LIST}?limit=20`]);
  });

  it('is found by a part of its name, chosen with the keyboard, and followed', async () => {
    await page.goto('/logs');
    await page.getByText(LINE).waitFor();
    await page.getByRole('combobox', { name: 'Agents' }).click();
    await page.getByText('More agents match: type part of the name').waitFor();
    expect(await page.getByRole('option', { name: OLDEST, exact: true }).count()).toBe(0);
    await picture(page, 'agent-choice-1-open');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.type(OLDEST, { delay: 20 });
    await page.getByRole('option', { name: OLDEST, exact: true }).waitFor();
    await picture(page, 'agent-choice-2-typed');
    // not one for each letter: one for the whole text, and one for each pause that a busy machine makes while it types
    const [followed, offered, ...typed] = lists();
    expect([followed, offered, typed.at(-1)]).toEqual([
      `${LIST}?limit=100`,
      `${LIST}?limit=20`,
      `${LIST}?q=${OLDEST}&limit=20&sort=name`,
    ]);
    expect(typed.length).toBeLessThan(OLDEST.length);
    expect(await options().first().innerText()).toBe(OLDEST);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('agent') === oldest);
    await page.keyboard.press('Escape');
    await page.getByText('Live', { exact: true }).waitFor();
    await picture(page, 'agent-choice-3-chosen');
    // its name was in the search result
    expect(asked).toHaveLength(2 + typed.length);
  });

  it('is shown with its name when the address of the page selects it, without a request for a list', async () => {
    await page.goto(`/logs?agent=${oldest}`);
    await page.locator('[class*=Pill]').getByText(OLDEST, { exact: true }).waitFor();
    await page.getByText(LINE).waitFor();
    expect(asked).toEqual([`${LIST}/${oldest}`]);
  });

  it('is shown with its name in the table of keys when its row becomes visible', async () => {
    await page.goto('/api-keys');
    // the first keys of agents are apart from those of people
    await page.getByText('No keys yet').waitFor();
    await page.getByText('Agents’', { exact: true }).click();
    await page.getByRole('link', { name: `worker-${FLEET}`, exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?of=agent');
    // the page has fifty keys, each of another agent
    expect(await page.getByRole('row').count()).toBe(51);
    expect(lists()).toEqual([]);
    expect(asked.length).toBeLessThan(20);
    const last = page.getByRole('row').last();
    await last.scrollIntoViewIfNeeded();
    await last.getByRole('link', { name: `worker-${FLEET - 49}`, exact: true }).waitFor();
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('is found in the form for a new agent key', async () => {
    await page.goto('/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('another');
    const lifetime = page.getByRole('combobox', { name: 'Lifetime' });
    expect(await lifetime.inputValue()).toBe('A year');
    await page.getByRole('radio', { name: 'An agent' }).check();
    expect(await lifetime.inputValue()).toBe('Until it is revoked');
    expect(lists()).toEqual([]);
    const agent = page.getByRole('combobox', { name: 'Agent' });
    await agent.fill(OLDEST);
    await page.getByRole('option', { name: OLDEST, exact: true }).click();
    expect(await agent.inputValue()).toBe(OLDEST);
    await picture(page, 'agent-choice-4-key');
    expect(await accessibilityProblems(page)).toEqual([]);
    await agent.fill('nobody');
    await page.getByText('No agent matches').waitFor();
    await page.keyboard.press('Tab');
    expect(await agent.inputValue()).toBe(OLDEST);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: /^Copy/ }).waitFor();
    expect(lists().every((path) => path.includes('limit=20'))).toBe(true);
    const { body } = await stage.service.api
      .as(
        (await stage.service.api.post('/auth/login', { email: 'many@example.com', password: GOOD_PASSWORD }))
          .body.access_token,
      )
      .get(`/api-keys?agent_id=${oldest}`);
    expect(body).toContainEqual(expect.objectContaining({ name: 'another', expires_at: null }));
  });

  it('is followed without a choice when its owner has few agents', async () => {
    await page.context().clearCookies();
    const api = await person(page.context(), 'few@example.com');
    await page.goto('/logs');
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor();
    const { body: agent } = await api.post('/agents', { name: 'single' });
    await page.goto('/logs');
    await page.getByText('Live', { exact: true }).waitFor();
    await stage.service.api
      .as(agent.api_key)
      .post('/agents/logs', { logs: [{ level: 'info', message: 'Live logs' }] });
    await page.getByText('Live logs', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'single', exact: true }).waitFor();
  });
});
