import type { Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { describeInBrowser, expectAccessibleInAllLooks, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;
const TITLE = 'Maintenance: nothing can be changed now';

describeInBrowser('Maintenance', () => {
  let stage: PageStage;
  let page: Page;
  let operator: Person;

  beforeAll(async () => {
    stage = await PageStage.open();
    operator = await registerOperator(stage.service);
    await registerPerson(stage.service, 'ada@example.com');
  }, PATIENCE_MS);

  afterAll(() => stage.close());

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
      await page.getByText('Nothing can be changed during maintenance: The database moves').waitFor();
      expect(await page.getByText('The service is away').count()).toBe(0);
      await operator.api.delete('/maintenance');
      await page.reload();
      await page.getByRole('heading', { name: 'New agent' }).waitFor();
      await page.getByText(TITLE).waitFor({ state: 'detached' });
      await stage.browser.leave();
    },
    PATIENCE_MS,
  );
});
