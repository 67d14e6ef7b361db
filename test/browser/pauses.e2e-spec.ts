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

  it(
    'hold all agents of a label, which are counted before, until their end in the list',
    async () => {
      const labels = { team: 'billing' };
      const team = [
        await createWorker(stage.service, owner, { name: 'first', labels }),
        await createWorker(stage.service, owner, { name: 'second', labels }),
      ];
      page = await stage.browser.visit();
      await signIn(page, stage.web.url, { email: owner.email, password: GOOD_PASSWORD });
      await page.goto('/agents');
      await page.getByRole('link', { name: 'Pauses' }).click();
      await page.getByRole('heading', { name: 'Nothing is paused' }).waitFor();
      await button('Pause agents').click();
      const label = page.getByRole('textbox', { name: 'Label', exact: true });
      await label.fill('team:none');
      await page.getByText('No agent matches').waitFor();
      expect(await button('Pause').isDisabled()).toBe(true);
      await label.fill('team:billing');
      await page.getByText('2 agents match').waitFor();
      await page.getByRole('textbox', { name: 'Reason' }).fill('The model answers nonsense');
      await expectAccessibleInAllLooks(page, 'pause-all-dialog');
      await button('Pause 2 agents').click();
      const row = page.getByRole('row', { name: /^Label team:billing The model answers nonsense you/ });
      await row.waitFor();
      await expectAccessibleInAllLooks(page, 'pauses');
      for (const agent of team) await until(async () => (await readAgent(owner, agent)).paused !== null);
      expect((await readAgent(owner, worker)).paused).toBeNull();
      await row.getByRole('button', { name: 'End' }).click();
      await page.getByRole('heading', { name: 'Nothing is paused' }).waitFor();
      for (const agent of team) await until(async () => (await readAgent(owner, agent)).paused === null);
    },
    PATIENCE_MS,
  );
});
