import type { Page } from 'playwright-core';
import { freePort } from '../../bench/fleet/free-port.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { ask, claim, createWorker, tell } from '../builders/runs.js';
import { startTestWeb, type TestWeb } from '../harness/test-web.js';
import { until } from '../harness/until.js';
import { describeInBrowser } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 120_000;

describeInBrowser("A run's page", () => {
  let stage: PageStage;
  let owner: Person;
  let worker: Awaited<ReturnType<typeof createWorker>>;
  let port: string;
  let web: TestWeb;
  let page: Page;
  let runId: string;
  /** Paths that the page has requested. */
  let requested: string[];

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    worker = await createWorker(stage.service, owner, { name: 'reader' });
    port = String(await freePort());
    await startWeb();
  }, PATIENCE_MS);

  afterAll(async () => {
    await web.close();
    await stage.close();
  });

  beforeEach(async () => {
    ({ id: runId } = await ask(owner, worker));
    await claim(worker);
    page = await stage.browser.visit();
    const data = { email: owner.email, password: GOOD_PASSWORD };
    await page.request.post(`${web.url}/api/auth/login`, { headers: { origin: web.url }, data });
    requested = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    const streamed = page.waitForResponse((reply) => reply.url().includes(`/runs/${runId}/stream`));
    await page.goto(`${web.url}/runs/${runId}?tab=logs`);
    expect((await streamed).status()).toBe(200);
    await page.getByText('No log lines yet').waitFor();
  });

  afterEach(() => stage.browser.leave());

  /** A web server for these pages alone, always with the same address. */
  async function startWeb(): Promise<void> {
    web = await startTestWeb({ SERVICE_URL: stage.service.url, WEB_PORT: port });
  }

  const write = (level: string, message: string) =>
    worker.runtime.post('/agents/logs', { level, message, run_id: runId });
  const report = (percent: number) =>
    tell(worker, { run_id: runId, status: 'running', progress: { percent } });
  const lines = () => page.getByRole('region', { name: 'Log lines' });
  const ofRun = (part: string) => requested.filter((path) => path.endsWith(`/runs/${runId}${part}`)).length;

  it('shows progress, log lines and steps as its stream brings them, and ends with the run', async () => {
    await page.getByText('Live', { exact: true }).waitFor();
    await until(async () => (await page.locator('[aria-busy=true]').count()) === 0);
    const before = [ofRun(''), ofRun('/logs')];
    await write('info', 'page 1');
    await lines().getByText('page 1').waitFor();
    for (const percent of [10, 20, 30]) {
      await report(percent);
      await page.getByText(`${percent} %`, { exact: true }).waitFor();
    }
    await write('info', 'page 2');
    await lines().getByText('page 2').waitFor();
    expect([ofRun(''), ofRun('/logs')]).toEqual(before);
    await tell(worker, { run_id: runId, status: 'succeeded', output: 'done' });
    await page.getByRole('region', { name: 'output' }).getByText('done').waitFor();
    await page.getByText('Ended: no more lines').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.locator('li').filter({ hasText: 'Succeeded' }).waitFor();
    expect(ofRun('/stream')).toBe(1);
  });

  it('shows new matching lines of its log', async () => {
    await page.goto(`${web.url}/runs/${runId}?tab=logs&level=warning`);
    await page.getByText('No line matches').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await write('info', 'page 1');
    await write('error', 'page 2 is missing');
    await lines().getByText('page 2 is missing').waitFor();
    expect(await lines().getByText('page 1').count()).toBe(0);
  });

  it('continues after a cut at the same place', async () => {
    await write('info', 'before the cut');
    await lines().getByText('before the cut').waitFor();
    await web.close();
    await write('info', 'during the cut');
    await report(70);
    await startWeb();
    await lines().getByText('during the cut').waitFor();
    await page.getByText('70 %', { exact: true }).waitFor();
    await write('info', 'after the cut');
    await lines().getByText('after the cut').waitFor();
    for (const line of ['before the cut', 'during the cut', 'after the cut'])
      expect(await lines().getByText(line).count()).toBe(1);
    await tell(worker, { run_id: runId, status: 'failed', error: 'no such page' });
    await page.getByText('Why it failed').waitFor();
  });
});
