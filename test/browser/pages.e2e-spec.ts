import type { Page } from 'playwright-core';
import { freePort } from '../../bench/fleet/free-port.js';
import { GOOD_PASSWORD } from '../builders/people.js';
import type { ApiClient } from '../harness/api-client.js';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity-provider.mjs';
import { until } from '../harness/until.js';
import {
  accessibilityProblems,
  describeInBrowser,
  expectAccessibleInAllLooks,
  picture,
  sidewaysScroll,
  signUp,
} from './browser.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import { PageStage } from './stage.js';

/** An agent's page reads its data again every ten seconds. */
const PATIENCE_MS = 60_000;

const OPERATOR = { email: 'ada@example.com', password: GOOD_PASSWORD };

describeInBrowser('A page of the dashboard', () => {
  let stage: PageStage;
  let provider: TestIdentityProvider;
  let api: ApiClient;
  let page: Page;

  beforeAll(async () => {
    const port = String(await freePort());
    provider = await startIdentityProvider(`http://127.0.0.1:${port}`);
    stage = await PageStage.open({ WEB_PORT: port, ...provider.settings });
    const somebody = (await stage.browser.visit()).context();
    await signUp(somebody, stage.web.url, OPERATOR.email, OPERATOR.password, {
      setup_token: SETUP_TOKEN,
    });
    const { body } = await stage.service.api.post('/auth/login', OPERATOR);
    api = stage.service.api.as(body.access_token);
  });

  afterAll(async () => {
    await stage.close();
    await provider.close();
  });

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  async function open(screen: 'laptop' | 'phone'): Promise<void> {
    page = await stage.browser.visit({ screen });
    await page.request.post('/api/auth/login', { headers: { origin: stage.web.url }, data: OPERATOR });
  }

  /** Returns true if a whole button is visible, by its width. */
  async function fits(name: string): Promise<boolean> {
    const { x, width } = (await page.getByRole('button', { name }).boundingBox())!;
    return x >= 0 && x + width <= page.viewportSize()!.width;
  }

  it('appears after a single sign-on if it needs a session', async () => {
    provider.person = { sub: 'grace', email: 'grace@example.com', email_verified: true };
    page = await stage.browser.visit();
    const context = page.context();
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/account');
    const names = (await context.cookies()).map(({ name }) => name.replace(/_\d+$/, ''));
    const own = names.filter((name) => name.startsWith('svc_')).sort();
    expect(own).toEqual(['svc_access', 'svc_refresh', 'svc_signed_in']);
    provider.refusal = 'access_denied';
    await context.clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
    await page.getByText('The identity provider refused the sign-in').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.getByLabel('Email').waitFor();
  });

  it('shows a new secret and its copy button within the width of a phone', async () => {
    await open('phone');
    await page.goto('/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('ci');
    await dialog.getByLabel('Access what belongs to others').check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('region', { name: 'API key' }).waitFor();
    expect((await api.get('/api-keys')).body[0]).toMatchObject({ scopes: ['read'], everybody: true });
    expect(await fits('Copy API key')).toBe(true);
    await page.goto('/agents/new');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('region', { name: 'agent key' }).waitFor();
    expect([await fits('Copy agent key'), await sidewaysScroll(page)]).toEqual([true, 0]);
  });

  it('shows the newest line of a log, and stays at the newest line until a person scrolls', async () => {
    const agent = (await api.post('/agents', { name: 'talkative' })).body;
    const message = 'a message that needs more than one line of a narrow screen, as most of them do';
    const logs = Array.from({ length: 250 }, (_, line) => ({ level: 'info', message: `${line} ${message}` }));
    await stage.service.api.as(agent.api_key).post('/agents/logs', { logs });
    await open('phone');
    await page.goto(`/agents/${agent.id}?tab=logs`);
    const lines = page.getByRole('region', { name: 'Log lines' });
    await lines.getByText('249 a message').waitFor();
    const toEnd = () => lines.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
    await until(async () => (await toEnd()) < 2);
    await page.setViewportSize({ width: 375, height: 600 });
    await until(async () => (await toEnd()) < 2);
  });

  it('shows metadata of a log as key=value that can be searched, counts equal lines, and draws them over time', async () => {
    const agent = (await api.post('/agents', { name: 'reader-of-incoming-invoices-0007' })).body;
    const line = (message: string, metadata: object, level = 'info') => ({ level, message, metadata });
    const logs = [
      ...Array.from({ length: 12 }, () => line('polled', { queue: 'in' })),
      line('read', { order: 17, file: 'a b.pdf' }),
      line('not read', { order: 18 }, 'error'),
    ];
    await stage.service.api.as(agent.api_key).post('/agents/logs', { logs });
    await open('laptop');
    await page.goto(`/logs?agent=${agent.id}`);
    const lines = page.getByRole('region', { name: 'Log lines' });
    await lines.getByText('file="a b.pdf" order=17').waitFor();
    expect(await lines.getByText('polled').allInnerTexts()).toEqual([
      expect.stringMatching(/^polled×12\s+equal lines, until [\d:.]+\s+queue=in$/),
    ]);
    await lines.getByRole('link', { name: 'reader-of-incoming-invoices-0007' }).first().waitFor();
    await page.getByText('14 lines, 1 error, a bar is 1 s').waitFor();
    await expectAccessibleInAllLooks(page, 'log');
    await page.getByLabel('Search log').fill('order=17');
    await page.getByText('1 line, a bar is 1 s').waitFor();
    expect(await lines.locator('mark').allInnerTexts()).toEqual(['order=17']);
  });

  it('shows the logs of several agents live, filtered by the address, with highlighted matches', async () => {
    const [one, other] = [
      (await api.post('/agents', { name: 'reader-one' })).body,
      (await api.post('/agents', { name: 'reader-two' })).body,
    ];
    const log = (agent: { api_key: string }, level: string, message: string, timestamp?: string) =>
      stage.service.api.as(agent.api_key).post('/agents/logs', { level, message, timestamp });
    await log(one, 'info', 'left out: mailbox');
    await log(one, 'error', '\u001b[31mMailbox\u001b[0m <b>gone</b>', '2026-01-31T09:30:00Z');
    await open('laptop');
    await page.goto(`/logs?agent=${one.id}&agent=${other.id}&level=warning&q=mailbox`);
    const lines = page.getByRole('region', { name: 'Log lines' });
    await lines.getByText('<b>gone</b>').waitFor();
    await page
      .getByRole('region', { name: 'Logs', exact: true })
      .getByText('Live', { exact: true })
      .waitFor();
    await log(other, 'warning', 'a mailbox that comes later');
    await lines.getByText('that comes later').waitFor();
    await picture(page, 'merged-logs');
    expect(await lines.locator('mark').allInnerTexts()).toEqual(['Mailbox', 'mailbox']);
    expect(await lines.getByRole('link').allInnerTexts()).toEqual(['reader-one', 'reader-two']);
    expect(await lines.locator('time').first().innerText()).toMatch(/^31 Jan 10:30/);
    expect(await lines.getByText('left out').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Level' }).click();
    await page.getByRole('option', { name: 'Info and above' }).click();
    await lines.getByText('left out').waitFor();
    expect(new URL(page.url()).searchParams.get('level')).toBe('info');
  });

  it('leaves room for a name next to a long email address', async () => {
    const email = `${'long.'.repeat(12)}x@${'subdomain.'.repeat(8)}example.com`;
    await stage.service.api.post('/auth/register', {
      email,
      password: GOOD_PASSWORD,
      name: 'Maximiliane von Hohenlohe-Waldenburg',
    });
    await open('laptop');
    await page.goto('/users');
    const name = page.getByRole('cell', { name: /^Maximiliane/ });
    await name.waitFor();
    expect((await name.boundingBox())!.width).toBeGreaterThan(100);
    const frame = page.getByRole('table', { name: 'Users' }).locator('..');
    expect(await frame.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  });

  it(
    'reports that its agent was deleted elsewhere',
    async () => {
      const agent = (await api.post('/agents', { name: 'short-lived' })).body;
      await open('laptop');
      await page.goto(`/agents/${agent.id}`);
      await page.getByRole('heading', { level: 1, name: 'short-lived' }).waitFor();
      await api.delete(`/agents/${agent.id}`);
      await page.getByRole('heading', { level: 1, name: 'Agent not found' }).waitFor();
      await page.goto(`/agents/new?agent=${agent.id}`);
      await page.getByText('There is no such agent').waitFor();
    },
    PATIENCE_MS,
  );

  it('restores a configuration that a template has replaced', async () => {
    await open('laptop');
    await page.goto('/agents/new');
    const config = page.getByLabel('Configuration');
    const choose = async (template: string) => {
      await page.getByRole('combobox', { name: 'What it runs' }).click();
      await page.getByRole('option', { name: template }).click();
    };
    await choose('A Python program');
    const undo = page.getByRole('button', { name: 'Undo' });
    expect(await undo.count()).toBe(0);
    await config.fill('{"mine": true}');
    await choose('A container');
    await until(async () => (await config.inputValue()).includes('docker'));
    await picture(page, 'template-undo');
    await undo.click();
    await until(async () => (await config.inputValue()) === '{"mine": true}');
    const template = page.getByRole('combobox', { name: 'What it runs' });
    await until(async () => (await template.inputValue()) === 'A Python program');
  });

  it('reports that nothing matches when a filter of its address is invalid', async () => {
    await open('laptop');
    await page.goto('/deployments?agent=nope');
    await page.getByText('No deployment matches').waitFor();
    await picture(page, 'filter-of-nothing');
    await page.getByRole('button', { name: 'Show all deployments' }).click();
    await until(() => new URL(page.url()).search === '');
  });

  it('opens no live stream in a hidden tab until the tab is visible', async () => {
    await open('laptop');
    const streams: string[] = [];
    page.on('request', (it) => void (it.url().endsWith('/stream') && streams.push(it.url())));
    await page.addInitScript(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    `);
    await page.goto('/deployments');
    await page.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor();
    await page.getByText('Nothing has been deployed yet').waitFor();
    expect(streams).toEqual([]);

    const opened = page.waitForRequest((it) => it.url().endsWith('/events/stream'));
    await page.evaluate(`
      delete document.visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await opened;
  });

  it('moves the focus to a near element when the focused one disappears', async () => {
    const agent = (await api.post('/agents', { name: 'focused' })).body;
    const deployment = (await api.post(`/agents/${agent.id}/deploy`)).body;
    await open('laptop');
    const hasFocus = (role: 'heading' | 'button', name: string | RegExp) => {
      const target = page.getByRole(role, { name });
      return until(() => target.evaluate((it) => it === it.ownerDocument.activeElement));
    };

    await page.goto('/welcome');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('region', { name: 'agent key' }).waitFor();
    await hasFocus('heading', 'Your first agent');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await hasFocus('heading', 'Deploy it (done)');

    await page.goto(`/deployments/${deployment.id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete deployment' }).click();
    await dialog.waitFor({ state: 'detached' });
    await hasFocus('button', /^Delete/);
  });
});
