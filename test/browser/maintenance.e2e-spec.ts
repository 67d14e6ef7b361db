import type { Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { describeInBrowser, expectAccessibleInAllLooks, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;
const OPERATOR = { email: 'grace@example.com', password: GOOD_PASSWORD };
const TITLE = 'Maintenance: changes are refused for now';

describeInBrowser('Maintenance', () => {
  let stage: PageStage;
  let page: Page;
  let operator: Person;

  beforeAll(async () => {
    stage = await PageStage.open();
    operator = await registerOperator(stage.service, OPERATOR.email);
    await registerPerson(stage.service, 'ada@example.com');
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  it(
    'is begun, changed and ended by an operator in a form',
    async () => {
      page = await stage.browser.visit();
      await signIn(page, stage.web.url, OPERATOR);
      await page.goto('/users');
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
      await page.getByRole('link', { name: 'Maintenance' }).click();
      await page.getByLabel('Reason').fill('The database moves');
      await page.getByRole('button', { name: 'Start maintenance' }).click();
      await page.getByText(TITLE).waitFor();
      await page.getByRole('button', { name: 'Change maintenance' }).waitFor();
      await expectAccessibleInAllLooks(page, 'maintenance-form');
      expect((await operator.api.get('/maintenance')).body).toMatchObject({
        is_on: true,
        reason: 'The database moves',
        until: null,
      });
      await page.getByLabel('Reason').fill('It still moves');
      await page.getByRole('button', { name: 'Change maintenance' }).click();
      await page.getByText('It still moves').first().waitFor();
      await page.getByRole('button', { name: 'End maintenance' }).click();
      await page.getByText(TITLE).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Start maintenance' }).waitFor();
      expect((await operator.api.get('/maintenance')).body.is_on).toBe(false);
      await stage.browser.leave();
    },
    PATIENCE_MS,
  );

  it(
    'is on every page with its reason, and a refused change says it',
    async () => {
      await operator.api.request('PUT', '/maintenance', { body: { reason: 'The database moves' } });
      page = await stage.browser.visit();
      await signIn(page, stage.web.url, { email: 'ada@example.com', password: GOOD_PASSWORD });
      await page.goto('/');
      await page.getByText(TITLE).waitFor();
      await page.goto('/agents/new');
      await page.getByText(TITLE).waitFor();
      await expectAccessibleInAllLooks(page, 'maintenance');
      await page.getByLabel('Name').fill('reader');
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByText('Changes are refused during maintenance: The database moves').waitFor();
      expect(await page.getByText('The service is unreachable').count()).toBe(0);
      await operator.api.delete('/maintenance');
      await page.reload();
      await page.getByRole('heading', { name: 'New agent' }).waitFor();
      await page.getByText(TITLE).waitFor({ state: 'detached' });
      await stage.browser.leave();
    },
    PATIENCE_MS,
  );
});
