import type { BrowserContext, Page } from 'playwright-core';
import { GOOD_PASSWORD } from '../builders/people.js';
import { until } from '../harness/until.js';
import {
  accessibilityProblems,
  type ContextOptions,
  describeInBrowser,
  picture,
  sidewaysScroll,
  signUp,
  takesPictures,
} from './browser.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import { BrowserStage } from './stage.js';

const CREDENTIALS = { email: 'ada@example.com', password: GOOD_PASSWORD };
/** Twenty pages, each looked through by axe, on a machine that may have other work to do. */
const PATIENCE_MS = 300_000;

describeInBrowser('The dashboard', () => {
  let stage: BrowserStage;
  /** Every page, with something on it. */
  let pages: string[];

  beforeAll(async () => {
    stage = await BrowserStage.open();
    const context = await stage.browser.context();
    await signUp(context, stage.web.url, CREDENTIALS.email, CREDENTIALS.password, {
      setup_token: SETUP_TOKEN,
    });
    await context.close();
    pages = await fill(stage);
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  async function signedIn(options: ContextOptions): Promise<BrowserContext> {
    const context = await stage.browser.context(options);
    const reply = await context.request.post('/api/auth/login', {
      headers: { origin: stage.web.url },
      data: CREDENTIALS,
    });
    expect(reply.status()).toBe(200);
    return context;
  }

  async function problemsOf(page: Page, path: string, name: string): Promise<string[]> {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // what is still being loaded is busy at once, and gets a placeholder only after a while
    const loading = page.locator('[aria-busy=true], [class*=Skeleton]');
    await until(async () => (await loading.count()) === 0);
    await picture(page, `${name}${path.replaceAll(/\W+/g, '-')}`);
    const wider = await sidewaysScroll(page);
    return [
      ...(await accessibilityProblems(page)),
      ...(wider > 0 ? [`it is ${wider} pixels wider than its window`] : []),
      ...((await page.title()).includes('·') ? [] : ['its title does not say which page it is']),
    ].map((problem) => `${path}: ${problem}`);
  }

  // both themes and both widths; every pair of them only for the pictures
  const looks: ContextOptions[] = [
    { screen: 'laptop', theme: 'light' },
    { screen: 'phone', theme: 'dark' },
    ...(takesPictures
      ? ([
          { screen: 'phone', theme: 'light' },
          { screen: 'laptop', theme: 'dark' },
        ] as const)
      : []),
  ];

  it.each(looks)(
    'is for everybody, on a $screen, $theme',
    async (look) => {
      const name = `${look.screen}-${look.theme}`;
      const problems: string[] = [];
      const stranger = await stage.browser.context(look);
      const entrance = await stranger.newPage();
      for (const path of ['/sign-in', '/sign-up']) problems.push(...(await problemsOf(entrance, path, name)));
      await stranger.close();
      const context = await signedIn(look);
      const page = await context.newPage();
      for (const path of pages) problems.push(...(await problemsOf(page, path, name)));
      await context.close();
      expect(problems).toEqual([]);
      expect(stage.browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  describe('by keyboard', () => {
    let page: Page;

    beforeEach(async () => {
      page = await (await signedIn({})).newPage();
    });

    afterEach(() => page.context().close());

    /** Presses Tab until something is focused, as a person would who can't point at it. */
    async function tabTo(role: 'button' | 'link' | 'textbox', name: string | RegExp): Promise<void> {
      const target = page.getByRole(role, { name, exact: true }).first();
      await target.waitFor();
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press('Tab');
        if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      }
      throw new Error(`Tab does not reach ${String(name)}`);
    }

    it('can be signed in to', async () => {
      await page.context().clearCookies();
      await page.goto('/agents');
      await tabTo('textbox', 'Email');
      await page.keyboard.type(CREDENTIALS.email);
      await tabTo('textbox', 'Password');
      await page.keyboard.type(`${CREDENTIALS.password}\n`);
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    });

    it('lets its navigation be skipped, makes an agent, and says where the focus is', async () => {
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

    it('asks before it deletes, with the way back in focus', async () => {
      const deployment = pages.find((path) => path.startsWith('/deployments/'))!;
      await page.goto(deployment);
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

/** Something of each kind, through the service itself. @returns the address of every page */
async function fill(stage: BrowserStage): Promise<string[]> {
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
  // one command that waits
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
  await created('/leads', { email: 'lead@example.com', name: 'Lea', message: 'Hello' });
  const deploymentPages = ['', '?tab=commands', '?tab=logs', '?tab=usage'].map(
    (tab) => `/deployments/${deployment.id}${tab}`,
  );
  const agentPages = ['', '?tab=logs', '?tab=usage'].map((tab) => `/agents/${agent.id}${tab}`);
  return [
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
    '/webhooks',
    `/webhooks/${webhook.id}`,
    '/users',
    '/leads',
    '/audit',
    '/nothing-here',
  ];
}
