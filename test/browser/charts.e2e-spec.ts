import type { Page } from 'playwright-core';
import { createAgent, deploy, obey, type TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { describeInBrowser, expectAccessibleInAllLooks, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;
const MINUTE = 60_000;

describeInBrowser('The charts of an agent', () => {
  let stage: PageStage;
  let owner: Person;
  let agent: TestAgent;
  let page: Page;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    agent = await createAgent(stage.service, owner, { name: 'invoice-reader' });
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  const chart = (title: string) => page.getByRole('figure').filter({ hasText: title });

  it(
    'have their units, counters as rates, and each deploy as a line with its version',
    async () => {
      const deployment = await deploy(owner, agent);
      await obey(agent);
      await owner.api.patch(`/agents/${agent.id}`, { config: { run: { command: ['true'] } } });
      await owner.api.post(`/agents/${agent.id}/deploy`, { replaces: 'active' });
      // The middles of the last ten minutes, the newest of them over.
      const newest = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE / 2;
      const metrics = Array.from({ length: 10 }, (_, index) => ({
        timestamp: new Date(newest - (9 - index) * MINUTE).toISOString(),
        memory_usage: 1_536,
        requests_processed: index < 5 ? index * 600 : (index - 5) * 600,
        custom: {
          sent_bytes_total: index * 60 * 2_097_152,
          latency_ms: 0.25,
          queue: 12_345.6,
          metrics: {
            'orders_total{kind="book"}': index * 120,
            'wait_seconds{path="/a"}': { count: index + 1, sum: (index + 1) / 4 },
          },
        },
      }));
      expect((await agent.runtime.post('/agents/metrics', { metrics })).status).toBe(200);
      page = await stage.browser.visit();
      await signIn(page, stage.web.url, { email: owner.email, password: GOOD_PASSWORD });
      await page.goto(`/agents/${agent.id}?tab=usage`);
      await chart('Memory (GiB)').getByText('last 1.5 GiB, between 1.5 GiB and 1.5 GiB').waitFor();
      // The total began again once: 4 steps of 600, then 4 more from 0 on.
      await chart('Requests and errors per second').getByText('4,800 requests, 0 errors').waitFor();
      await chart('sent_bytes_total (MiB/s)').getByText('1.05 GiB more in this period').waitFor();
      await chart('latency_ms (µs)').getByText('last 250 µs').waitFor();
      await chart('queue').getByText('last 12.3K').waitFor();
      await chart('orders_total{kind="book"} per second').getByText('1,080 more in this period').waitFor();
      await chart('wait_seconds{path="/a"} (ms)').getByText('last 250 ms').waitFor();
      await page.getByText(/^Deployed in this period/).waitFor();
      for (const title of ['Memory', 'Requests and errors', 'sent_bytes_total']) {
        expect(await chart(title).locator('.recharts-reference-line-line').count()).toBe(2);
        // Both are seconds old, so the newest alone has room for its label.
        await chart(title).getByText('v2', { exact: true }).waitFor();
        expect(await chart(title).getByText('v1', { exact: true }).count()).toBe(0);
      }
      await expectAccessibleInAllLooks(page, 'charts');
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`other${index}`, index]));
      await agent.runtime.post('/agents/metrics', { custom: { metrics: many } });
      await page.reload();
      await page.getByText('The first 20 of 45 metrics, by name. Search for the others.').waitFor();
      await page.getByRole('textbox', { name: 'Search metrics' }).fill('OTHER3');
      await page.getByText('11 metrics found').waitFor();
      expect(await page.getByRole('figure').filter({ hasText: 'other' }).count()).toBe(11);
      await page.getByRole('textbox', { name: 'Search metrics' }).fill('nothing');
      await page.getByText('0 metrics found').waitFor();
      await page.goto(`/agents/${agent.id}?tab=usage`);
      await page.getByRole('link', { name: 'v1', exact: true }).click();
      await page.waitForURL(`**/deployments/${deployment}`);
      expect(stage.browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});
