import type { Page } from 'playwright-core';
import { createAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { until } from '../harness/until.js';
import { describeInBrowser, picture, sidewaysScroll, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 120_000;

describeInBrowser('A page whose scripts are not there yet', () => {
  let stage: PageStage;
  let owner: Person;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  /** Opens a page without its first script. @returns a function that lets the script through */
  async function openWithoutScripts(page: Page, path: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/assets/index-*.js', async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(path, { waitUntil: 'commit' });
    // A first part of the document may be painted before the rest has arrived.
    await until(() => page.evaluate('document.readyState !== "loading"'));
    await until(() => page.evaluate('performance.getEntriesByName("first-contentful-paint").length > 0'));
    return resolve;
  }

  /** Colours of the page, and texts, places and colours of what the frame has in common with it. */
  const looksOf = (page: Page, selectors: readonly string[]) =>
    page.evaluate<unknown[]>(`(() => {
      const coloursOf = (element) => {
        const { color, backgroundColor, fontSize } = getComputedStyle(element);
        return [color, backgroundColor, fontSize];
      };
      const parts = ${JSON.stringify(selectors)}.map((each) => document.querySelector(each));
      return [coloursOf(document.body), ...parts.map((part) => {
        const { x, y, height } = part.getBoundingClientRect();
        return [part.textContent, x, y, height, ...coloursOf(part)];
      })];
    })()`);

  it.each([
    { system: 'light', chosen: null, screen: 'laptop' },
    { system: 'dark', chosen: null, screen: 'phone' },
    { system: 'light', chosen: 'dark', screen: 'laptop' },
  ] as const)(
    'has the bars and the heading in the theme of the page: system $system, chosen $chosen, $screen',
    async ({ system, chosen, screen }) => {
      const page = await stage.browser.visit({ theme: system, screen });
      await signIn(page, stage.web.url, { email: 'ada@example.com', password: GOOD_PASSWORD });
      if (chosen) {
        await page.goto('/icon.svg');
        await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', '${chosen}')`);
      }
      const bar = screen === 'phone' ? 'header' : 'aside';
      const parts = ['main h1', `${bar} img`, `${bar} a[href="/"]`, `${bar} button`];
      if (screen === 'laptop') parts.push('nav a[href="/runs"]', 'nav a[aria-current="page"]');

      const letThrough = await openWithoutScripts(page, '/agents');
      const before = await looksOf(page, parts);
      expect(await page.getByRole('heading').allTextContents()).toEqual(['Agents']);
      expect(await page.locator('nav a[aria-current="page"]').allTextContents()).toEqual(['Agents']);
      expect(await page.locator('nav, main').count()).toBe(2);
      expect(await page.getByText('Operators').count()).toBe(0);
      expect(await sidewaysScroll(page)).toBe(0);
      await picture(page, `frame-${screen}-${chosen ?? system}`);

      letThrough();
      await page.getByRole('button', { name: /, your account/ }).waitFor();
      expect(await looksOf(page, parts)).toEqual(before);
      expect(await page.locator('nav').count()).toBe(1);
      expect(await page.locator('main h1').count()).toBe(1);
      await picture(page, `frame-${screen}-${chosen ?? system}-replaced`);
      expect(stage.browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'keeps the focus when the page replaces it, and leads to other pages',
    async () => {
      const { id } = await createAgent(stage.service, owner, { name: 'reader' });
      const page = await stage.browser.visit();
      await signIn(page, stage.web.url, { email: 'ada@example.com', password: GOOD_PASSWORD });

      const letThrough = await openWithoutScripts(page, `/agents/${id}`);
      expect(await page.getByRole('heading').allTextContents()).toEqual(['Agent']);
      await page.getByRole('link', { name: 'Runs' }).focus();
      letThrough();
      await page.getByRole('heading', { level: 1, name: 'reader' }).waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Runs');

      await openWithoutScripts(page, `/agents/${id}`);
      await page.getByRole('link', { name: 'Runs' }).click();
      await page.waitForURL('**/runs', { waitUntil: 'commit' });
      expect(stage.browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it.each([
    ['/sign-up?setup', 'Create an account', 'Create the operator account'],
    ['/set-password', 'Set your password', 'Set your password'],
    ['/sign-in/sso', 'Single sign-on', 'Single sign-on'],
  ])(
    'has the heading of %s',
    async (path, heading, later) => {
      const page = await stage.browser.visit();
      const letThrough = await openWithoutScripts(page, path);
      expect(await page.getByRole('heading').allTextContents()).toEqual([heading]);
      letThrough();
      await page.locator('main [aria-busy="true"]').waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1, name: later }).waitFor();
      expect(await page.locator('main').count()).toBe(1);
    },
    PATIENCE_MS,
  );

  it(
    'has the form of the sign-in, into which nothing can be typed before',
    async () => {
      const page = await stage.browser.visit();
      const parts = ['main h1', 'main p', 'main label', 'main input', 'main button[type="submit"]'];

      const letThrough = await openWithoutScripts(page, '/sign-in');
      const before = await looksOf(page, parts);
      expect(await page.getByRole('heading').allTextContents()).toEqual(['Sign in']);
      await page.getByLabel('Email').focus();
      expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
      await picture(page, 'frame-sign-in');

      letThrough();
      await until(async () => (await page.evaluate('document.activeElement.type')) === 'email');
      expect(await looksOf(page, parts)).toEqual(before);
      expect(await page.locator('main h1').count()).toBe(1);
      await picture(page, 'frame-sign-in-replaced');
      expect(stage.browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});
