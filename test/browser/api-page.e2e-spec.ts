import type { Page } from 'playwright-core';
import { registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import {
  accessibilityProblems,
  describeInBrowser,
  lookAt,
  LOOKS,
  picture,
  redrawn,
  sidewaysScroll,
  TestBrowser,
} from './browser.js';

const PATIENCE_MS = 240_000;

/** Scalar gives two boxes of an operation the same name: a moderate finding, and Scalar's to mend. */
const SCALARS_OWN = /^landmark-unique /;

describeInBrowser("The API's page", () => {
  let service: TestApp;
  let browser: TestBrowser;
  let page: Page;
  const addresses: string[] = [];

  beforeAll(async () => {
    service = await startTestApp();
    browser = await TestBrowser.launch(service.url);
    page = await browser.visit();
    page.on('request', (request) => addresses.push(request.url()));
    await page.goto('/docs');
    await page.getByRole('heading', { level: 1, name: 'Agent control plane' }).waitFor();
  }, PATIENCE_MS);

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'has no accessibility problem on a laptop and on a phone, in the light and the dark theme',
    async () => {
      for (const look of LOOKS) {
        await lookAt(page, look);
        await redrawn(page);
        await until(async () => (await sidewaysScroll(page)) === 0);
        await picture(page, `api-page-${look.screen}-${look.theme}`);
        const problems = await accessibilityProblems(page);
        expect(problems.filter((problem) => !SCALARS_OWN.test(problem))).toEqual([]);
        expect(await page.evaluate("document.body.classList.contains('dark-mode')")).toBe(
          look.theme === 'dark',
        );
      }
      await lookAt(page, {});
    },
    PATIENCE_MS,
  );

  it(
    'finds an operation by keyboard, calls it with a token, shows the reply, and stores no token',
    async () => {
      const { email, accessToken } = await registerPerson(service);
      await page.getByPlaceholder('Token').first().fill(accessToken);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill("caller's account");
      await page.getByRole('option', { name: '/auth/me' }).first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.locator('[role=option][aria-selected=true]', { hasText: '/auth/me' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: /Test Request.*get \/auth\/me/ }).click();
      await page.getByRole('button', { name: /^Send/ }).first().click();
      await page.getByTestId('response-body-raw').getByText(`"${email}"`).waitFor();
      await picture(page, 'api-page-reply');
      const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])');
      expect(stored).not.toContain(accessToken);
      expect(await page.evaluate<unknown[]>('indexedDB.databases()')).toEqual([]);
    },
    PATIENCE_MS,
  );

  it('asks no other host, and breaks no rule of its Content-Security-Policy', () => {
    expect(addresses).toContain(`${service.url}/docs/reference.js`);
    expect(addresses.filter((it) => !it.startsWith(`${service.url}/`) && !it.startsWith('data:'))).toEqual(
      [],
    );
    expect(browser.complaints).toEqual([]);
  });
});
