import type { Page } from 'playwright-core';
import { startTestWeb, type TestWeb } from '../harness/test-web.js';
import { describeInBrowser, expectAccessibleInAllLooks, TestBrowser } from './browser.js';

const PATIENCE_MS = 120_000;

describeInBrowser('The documentation', () => {
  let web: TestWeb;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    web = await startTestWeb({ SERVICE_URL: 'http://127.0.0.1:1' });
    browser = await TestBrowser.launch(web.url);
  }, PATIENCE_MS);

  beforeEach(async () => {
    page = await browser.visit();
    await page.goto('/docs/guide/');
  }, PATIENCE_MS);

  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  const backgroundOf = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

  it(
    'has no accessibility problem on a laptop and on a phone, in the light and the dark theme',
    async () => {
      for (const path of ['', 'lifecycle', 'diagrams/tables', 'settings-table']) {
        await page.goto(`/docs/guide/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expectAccessibleInAllLooks(page, `guide-${path}`);
      }
      expect(browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'finds a page by its words, and leads to it by keyboard',
    async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('rotate key');
      const result = page.getByRole('search').getByRole('link').first();
      await result.waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname !== '/docs/guide/');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByLabel('Search').fill('qqqqxyz');
      await page.getByText('Nothing found for “qqqqxyz”').waitFor();
      expect(browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'keeps the theme that its visitor chooses, on the next page, too',
    async () => {
      const light = await backgroundOf();
      await page.getByRole('button', { name: 'Dark' }).click();
      const dark = await backgroundOf();
      expect(dark).not.toBe(light);
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').nth(1).click();
      await page.waitForURL((url) => url.pathname !== '/docs/guide/');
      await page.getByRole('button', { name: 'Light' }).waitFor();
      expect(await backgroundOf()).toBe(dark);
    },
    PATIENCE_MS,
  );
});
