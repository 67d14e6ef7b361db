import { freePort } from '../../bench/fleet/free-port.js';
import { createAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { ServiceRelay } from '../harness/service-relay.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { startTestWeb, type TestWeb } from '../harness/test-web.js';
import { describeInBrowser, TestBrowser } from './browser.js';

const PATIENCE_MS = 120_000;
const BASE = '/agents';

describeInBrowser('The dashboard below a path of a host', () => {
  let service: TestApp;
  let owner: Person;
  /** The proxy, which keeps the path. */
  let proxy: ServiceRelay;
  let web: TestWeb;
  let browser: TestBrowser;

  beforeAll(async () => {
    service = await startTestApp({ settings: { TRUST_PROXY: 'loopback' } });
    owner = await registerOperator(service, 'ada@example.com');
    const port = String(await freePort());
    proxy = await ServiceRelay.start(`http://127.0.0.1:${port}`);
    web = await startTestWeb({
      SERVICE_URL: service.url,
      WEB_PORT: port,
      WEB_PUBLIC_URL: `${proxy.url}${BASE}`,
    });
    browser = await TestBrowser.launch(proxy.url);
  }, PATIENCE_MS);

  afterAll(async () => {
    await browser.close();
    await proxy.close();
    await web.close();
    await service.close();
  });

  it(
    'is used from the sign-in to the sign-out without a request outside of the path',
    async () => {
      const { id } = await createAgent(service, owner, { name: 'reader' });
      const page = await browser.visit();
      proxy.reset();
      const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
      const path = () => new URL(page.url()).pathname;

      await page.goto(`${BASE}/agents`);
      await page.getByLabel('Email').fill('ada@example.com');
      expect(page.url()).toBe(`${proxy.url}${BASE}/sign-in?next=%2Fagents`);
      await page.getByRole('textbox', { name: 'Password' }).fill(GOOD_PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await heading('Agents');
      expect(path()).toBe(`${BASE}/agents`);

      await page.getByRole('link', { name: 'reader' }).click();
      await heading('reader');
      await page.reload();
      await heading('reader');
      expect(path()).toBe(`${BASE}/agents/${id}`);

      await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
      await heading('Agents');
      await createAgent(service, owner, { name: 'writer' });
      await page.getByRole('link', { name: 'writer' }).waitFor();
      expect(proxy.to(`${BASE}/api/dashboard/events/stream`).length).toBeGreaterThan(0);

      await page.getByRole('button', { name: /, your account/ }).click();
      const opened = page.context().waitForEvent('page');
      await page.getByRole('menuitem', { name: 'Documentation' }).click();
      const guide = await opened;
      await guide.getByLabel('Search').fill('rotate key');
      await guide.getByRole('search').getByRole('link').first().click();
      await guide.waitForURL((url) => url.pathname !== `${BASE}/docs/guide/`);
      await guide.getByRole('heading', { level: 1 }).waitFor();
      expect(new URL(guide.url()).pathname).toMatch(/^\/agents\/docs\/guide\/./);
      await guide.getByRole('link', { name: 'Dashboard', exact: true }).click();
      await guide.waitForURL(`${proxy.url}${BASE}/`);
      await guide.close();

      if (!(await page.getByRole('menuitem', { name: 'Sign out' }).isVisible()))
        await page.getByRole('button', { name: /, your account/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.waitForURL(`${proxy.url}${BASE}/sign-in`);
      await page.getByLabel('Email').waitFor();
      expect(await page.context().cookies(`${proxy.url}${BASE}/api`)).toEqual([]);

      expect(proxy.seen.map((it) => it.path).filter((it) => !/^\/agents(\/|$)/.test(it))).toEqual([]);
      expect(browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});
