import type { Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { describeInBrowser, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;
const ADDRESS = 'http://127.0.0.1:9/services/hush-path';

describeInBrowser('The address of a webhook of others', () => {
  let stage: PageStage;
  let page: Page;
  let operator: Person;
  let id: string;

  beforeAll(async () => {
    stage = await PageStage.open();
    operator = await registerOperator(stage.service);
    const owner = await registerPerson(stage.service);
    id = (await owner.api.post('/webhooks', { url: ADDRESS })).body.id;
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  const reveals = async () =>
    (await operator.api.get(`/audit?action=webhook.reveal&target_id=${id}`)).body as unknown[];

  it(
    'is displayed to an operator who asks for it, once, and is hidden again',
    async () => {
      page = await stage.browser.visit();
      await signIn(page, stage.web.url, { email: operator.email, password: GOOD_PASSWORD });
      await page.goto(`/webhooks/${id}`);
      await page.getByRole('heading', { name: 'http://127.0.0.1:9/***' }).waitFor();
      expect(await reveals()).toEqual([]);
      await page.getByRole('button', { name: 'Reveal the address' }).click();
      await page.getByText(ADDRESS, { exact: true }).waitFor();
      expect(await reveals()).toHaveLength(1);
      await page.getByRole('button', { name: 'Hide the address' }).click();
      await page.getByText(ADDRESS, { exact: true }).waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );
});
