import type { Page } from 'playwright-core';
import type { TestAgent } from '../builders/agents.js';
import { readAgent } from '../builders/pauses.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { createWorker } from '../builders/runs.js';
import { until } from '../harness/until.js';
import { describeInBrowser, expectAccessibleInAllLooks, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;

describeInBrowser('Pauses in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  let owner: Person;
  let worker: TestAgent;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    worker = await createWorker(stage.service, owner, { name: 'invoice-reader' });
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it(
    'begin with a reason and end on the page of an agent',
    async () => {
      page = await stage.browser.visit();
      await signIn(page, stage.web.url, { email: owner.email, password: GOOD_PASSWORD });
      await page.goto(`/agents/${worker.id}`);
      await button('Pause').click();
      await page.getByLabel('Reason').fill('It spends too much');
      await expectAccessibleInAllLooks(page, 'pause-dialog');
      await button('Pause agent').click();
      await page.locator('main header [role=status]').getByText('paused', { exact: true }).waitFor();
      await page.getByText('Paused: It spends too much').first().waitFor();
      expect((await readAgent(owner, worker)).paused).toMatchObject({ reason: 'It spends too much' });
      await button('Resume').click();
      await button('Pause').waitFor();
      await until(async () => (await readAgent(owner, worker)).paused === null);
    },
    PATIENCE_MS,
  );
});
