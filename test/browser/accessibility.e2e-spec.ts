import type { Page } from 'playwright-core';
import { GOOD_PASSWORD } from '../builders/people.js';
import { until } from '../harness/until.js';
import {
  accessibilityProblems,
  describeInBrowser,
  lookAt,
  LOOKS,
  picture,
  problemsThatStay,
  redrawn,
  sidewaysScroll,
  signUp,
} from './browser.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import { PageStage } from './stage.js';

const CREDENTIALS = { email: 'ada@example.com', password: GOOD_PASSWORD };
/** Twenty pages, each checked by axe, on a machine that may have other work to do. */
const PATIENCE_MS = 300_000;

/** An address without a page. */
const NOWHERE = '/nothing-here';

/** Addresses of all pages, which have content. */
interface Pages {
  /** Pages that no other suite loads by their address. */
  readonly loaded: readonly string[];
  readonly turnedTo: readonly string[];
}

describeInBrowser('The dashboard', () => {
  let stage: PageStage;
  let pages: Pages;

  beforeAll(async () => {
    stage = await PageStage.open();
    const context = (await stage.browser.visit()).context();
    await signUp(context, stage.web.url, CREDENTIALS.email, CREDENTIALS.password, {
      setup_token: SETUP_TOKEN,
    });
    pages = await fill(stage);
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  async function signIn(page: Page): Promise<void> {
    const reply = await page.request.post('/api/auth/login', {
      headers: { origin: stage.web.url },
      data: CREDENTIALS,
    });
    expect(reply.status()).toBe(200);
  }

  async function problemsNow(page: Page): Promise<string[]> {
    // loading content is marked as busy at once, and gets a placeholder only after a while
    const loading = page.locator('[aria-busy=true], [class*=Skeleton]');
    await until(async () => (await loading.count()) === 0);
    const wider = await sidewaysScroll(page);
    return [
      ...(await accessibilityProblems(page)),
      ...(wider > 0 ? [`it is ${wider} pixels wider than its window`] : []),
      ...((await page.title()).includes('·') ? [] : ['its title does not say which page it is']),
    ];
  }

  /** Loads a page by its address, like a person who types it. */
  async function load(page: Page, path: string): Promise<void> {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  /**
   * Opens a page within the loaded dashboard, like a person who follows a link: half of the processor time of a load.
   */
  async function turnTo(page: Page, path: string): Promise<void> {
    const turn = (to: string) =>
      page.evaluate(`history.pushState(null, '', '${to}'); dispatchEvent(new PopStateEvent('popstate'));`);
    const notFound = page.getByRole('heading', { level: 1, name: 'Page not found' });
    // in between, because the old heading and the awaited one may be of the same page
    await turn(NOWHERE);
    await notFound.waitFor();
    await turn(path);
    await notFound.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** Problems of each page, which is opened once. Half of the pages begin with one look, half with the other. */
  async function problemsOf(page: Page, paths: readonly string[], open: typeof load): Promise<string[]> {
    const found: string[] = [];
    for (const [index, path] of paths.entries()) {
      const [first, ...others] = index % 2 === 0 ? LOOKS : LOOKS.toReversed();
      await lookAt(page, first!);
      await open(page, path);
      for (const look of [first!, ...others]) {
        await lookAt(page, look);
        await redrawn(page);
        const problems = await (look === first
          ? problemsNow(page)
          : problemsThatStay(() => problemsNow(page)));
        const name = `${look.screen}-${look.theme}`;
        await picture(page, `${name}${path.replaceAll(/\W+/g, '-')}`);
        found.push(...problems.map((problem) => `${path}, ${name}: ${problem}`));
      }
    }
    return found;
  }

  it(
    'has no accessibility problem on a laptop and on a phone, in the light and the dark scheme',
    async () => {
      const page = await stage.browser.visit();
      const problems = await problemsOf(page, ['/sign-in', '/sign-up'], load);
      await signIn(page);
      problems.push(...(await problemsOf(page, pages.loaded, load)));
      problems.push(...(await problemsOf(page, pages.turnedTo, turnTo)));
      expect(problems).toEqual([]);
      expect(stage.browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  describe('by keyboard', () => {
    let page: Page;

    beforeEach(async () => {
      page = await stage.browser.visit();
      await signIn(page);
    });

    /** Presses Tab until the element has the focus, like a person who can't use a mouse. */
    async function tabTo(role: 'button' | 'link' | 'textbox', name: string | RegExp): Promise<void> {
      const target = page.getByRole(role, { name, exact: true }).first();
      await target.waitFor();
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press('Tab');
        if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      }
      throw new Error(`Tab does not reach ${String(name)}`);
    }

    it('lets a person sign in', async () => {
      await page.context().clearCookies();
      await page.goto('/agents');
      await tabTo('textbox', 'Email');
      await page.keyboard.type(CREDENTIALS.email);
      await tabTo('textbox', 'Password');
      await page.keyboard.type(`${CREDENTIALS.password}\n`);
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    });

    it('lets a person skip the navigation and create an agent, with a visible focus', async () => {
      await page.goto('/agents');
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.hash === '#main');
      await tabTo('link', 'New agent');
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      expect(outline).not.toBe('none');
      await page.keyboard.press('Enter');
      await tabTo('button', 'Create agent');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'agent key' }).waitFor();
      await tabTo('button', 'Copy agent key');
    });

    it('asks before a deletion, with the focus on Cancel', async () => {
      await page.goto(pages.turnedTo.find((path) => path.startsWith('/deployments/'))!);
      await tabTo('button', 'Delete');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      const cancel = dialog.getByRole('button', { name: 'Cancel' });
      await until(() => cancel.evaluate((element) => element === element.ownerDocument.activeElement));
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      const back = page.getByRole('button', { name: 'Delete', exact: true });
      await until(() => back.evaluate((element) => element === element.ownerDocument.activeElement));
    });
  });
});

/** Creates resources of each kind through the API. @returns the addresses of all pages */
async function fill(stage: PageStage): Promise<Pages> {
  const { body: tokens } = await stage.service.api.post('/auth/login', CREDENTIALS);
  const api = stage.service.api.as(tokens.access_token);
  const created = async (path: string, body: object) => (await api.post(path, body)).body;
  const agent = await created('/agents', {
    name: 'invoice-reader',
    description: 'Reads invoices',
    type: 'worker',
  });
  const runtime = stage.service.api.as(agent.api_key);
  await runtime.post('/agents/register', { version: '1.4.2', hostname: 'reader-01', platform: 'linux' });
  const deployment = (await api.post(`/agents/${agent.id}/deploy`)).body;
  const { commands } = (await runtime.get('/agents/commands')).body;
  await runtime.post('/agents/commands/acknowledge', { command_id: commands[0].command_id, success: true });
  await runtime.post('/agents/heartbeat', {
    deployments: [{ deployment_id: deployment.id, status: 'ready', ready_replicas: 1, node_id: 'reader-01' }],
  });
  // one waiting command
  await api.post(`/deployments/${deployment.id}/scale`, { replicas: 3 });
  const levels = ['debug', 'info', 'warning', 'error', 'critical'];
  await runtime.post('/agents/logs', {
    logs: levels.map((level) => ({ level, message: `a line, ${level}`, metadata: { level } })),
  });
  await runtime.post('/agents/metrics', {
    metrics: [10, 40, 25].map((cpu_usage, index) => ({
      cpu_usage,
      memory_usage: 128 + index,
      timestamp: new Date(Date.now() - index * 60_000).toISOString(),
    })),
  });
  const failed = await created('/agents', { name: 'broken' });
  const { id: failedDeployment } = (await api.post(`/agents/${failed.id}/deploy`)).body;
  await stage.service.api.as(failed.api_key).post('/agents/heartbeat', {
    deployments: [
      { deployment_id: failedDeployment, status: 'failed', error_message: 'exit code 1\n'.repeat(30) },
    ],
  });
  await created('/api-keys', { name: 'ci' });
  const webhook = await created('/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    description: 'nobody listens',
  });
  await api.post(`/webhooks/${webhook.id}/test`);
  const { id: project } = await created('/projects', { name: 'Billing' });
  await created('/leads', { email: 'lead@example.com', name: 'Lea', message: 'Hello' });
  const deploymentPages = ['', '?tab=commands', '?tab=logs', '?tab=usage'].map(
    (tab) => `/deployments/${deployment.id}${tab}`,
  );
  const agentPages = ['', '?tab=logs', '?tab=usage'].map((tab) => `/agents/${agent.id}${tab}`);
  return {
    loaded: ['/leads', '/audit', '/webhooks', `/webhooks/${webhook.id}`, NOWHERE],
    turnedTo: [
      '/',
      '/welcome',
      '/agents',
      '/agents/new',
      ...agentPages,
      `/agents/new?agent=${agent.id}`,
      '/deployments',
      ...deploymentPages,
      `/deployments/${failedDeployment}`,
      '/logs',
      '/api-keys',
      '/account',
      '/users',
      '/projects',
      `/projects/${project}`,
    ],
  };
}
