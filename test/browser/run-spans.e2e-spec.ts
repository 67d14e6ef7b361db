import type { Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { ask, claim, createWorker, tell } from '../builders/runs.js';
import {
  type ExportedSpan,
  exportSpans,
  llmSpan,
  newSpanId,
  newTraceId,
  toolSpan,
} from '../builders/traces.js';
import { until } from '../harness/until.js';
import { describeInBrowser, expectAccessibleInAllLooks, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;
const MANY = 5_000;
const EXPORT = 1_000;

describeInBrowser("The spans on a run's page", () => {
  let stage: PageStage;
  let page: Page;
  let owner: Person;
  let worker: Awaited<ReturnType<typeof createWorker>>;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    worker = await createWorker(stage.service, owner, { name: 'invoice-reader' });
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  beforeEach(async () => {
    page = await stage.browser.visit();
    await signIn(page, stage.web.url, { email: owner.email, password: GOOD_PASSWORD });
  });

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  /** A run that has ended, with these spans. @returns its id */
  async function runWith(spans: readonly ExportedSpan[]): Promise<string> {
    const { id } = await ask(owner, worker, { name: 'Read an invoice' });
    await claim(worker);
    for (let first = 0; first < spans.length; first += EXPORT)
      await exportSpans(worker, spans.slice(first, first + EXPORT), { 'agent_control_plane.run_id': id });
    await tell(worker, { run_id: id, status: 'succeeded' });
    return id;
  }

  const tree = () => page.getByRole('treegrid', { name: 'Spans' });
  const row = (name: string | RegExp) => tree().getByRole('row', { name });
  /** The name of the row that the focus is said to be on. */
  const active = () =>
    page.evaluate<string | undefined>(
      "document.getElementById(document.activeElement?.getAttribute('aria-activedescendant'))?.firstElementChild?.textContent",
    );
  const press = async (key: string, name: string) => {
    await page.keyboard.press(key);
    await until(async () => (await active()) === name);
  };

  it(
    'are explained to a user whose run has none',
    async () => {
      await page.goto(`/runs/${await runWith([])}?tab=spans`);
      await page.getByRole('heading', { name: 'No spans' }).waitFor();
      const link = page.getByRole('main').getByRole('link', { name: 'API documentation' });
      expect(await link.getAttribute('href')).toBe(`${stage.service.url}/docs`);
      expect(await page.getByLabel('Usage', { exact: true }).count()).toBe(0);
      await expectAccessibleInAllLooks(page, 'run-spans-none');
    },
    PATIENCE_MS,
  );

  it(
    'are a tree with their usage, which keys move through, fold and open',
    async () => {
      const at = { traceId: newTraceId(), startedAt: Date.now() - 60_000 };
      const root = newSpanId();
      const plan = newSpanId();
      const run = await runWith([
        { ...at, spanId: root, name: 'invoke_agent reader', durationMs: 9_000 },
        llmSpan({ ...at, spanId: plan, parentSpanId: root, startedAt: at.startedAt + 10, model: 'gpt-4o' }),
        toolSpan({
          ...at,
          parentSpanId: plan,
          startedAt: at.startedAt + 20,
          tool: 'search',
          status: { code: 2, message: 'no such index' },
        }),
        llmSpan({ ...at, parentSpanId: root, startedAt: at.startedAt + 30, model: 'nobody-knows-its-price' }),
      ]);
      await worker.runtime.post('/agents/logs', {
        level: 'error',
        message: 'index missing',
        run_id: run,
        timestamp: new Date(at.startedAt + 15).toISOString(),
        metadata: { shard: 7 },
      });
      await page.goto(`/runs/${run}?tab=spans`);
      const usage = page.getByLabel('Usage', { exact: true });
      await usage.getByText('1 call without a price').waitFor();
      await usage.getByText('$', { exact: false }).waitFor();
      const models = page.getByRole('table', { name: 'Usage by model' });
      await models.getByRole('row', { name: 'gpt-4o' }).waitFor();
      await models.getByRole('row', { name: 'nobody-knows-its-price' }).waitFor();
      await row('Failed execute_tool search').waitFor();
      expect(await row('Failed execute_tool search').getAttribute('aria-level')).toBe('3');
      expect(await tree().getAttribute('aria-rowcount')).toBe('5');
      await page.getByText('4 spans, 1 failed').waitFor();
      await tree().focus();
      expect(await active()).toBe('invoke_agent reader');
      await press('End', 'chat nobody-knows-its-price');
      await press('ArrowUp', 'execute_tool search');
      await press('ArrowLeft', 'chat gpt-4o');
      await page.keyboard.press('ArrowLeft');
      await row('execute_tool search').waitFor({ state: 'detached' });
      await page.keyboard.press('ArrowRight');
      await row('execute_tool search').waitFor();
      await press('ArrowRight', 'execute_tool search');
      await page.keyboard.press('Enter');
      const details = page.getByRole('dialog', { name: 'execute_tool search' });
      await details.getByText('no such index').waitFor();
      await details.getByRole('region', { name: 'attributes' }).getByText('"search"').waitFor();
      await expectAccessibleInAllLooks(page, 'run-spans-details');
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'detached' });
      // the focus comes back after the dialog has gone
      await until(async () => (await active()) === 'execute_tool search');
      await press('Home', 'invoke_agent reader');
      // below the call that was open, which is folded no more
      await page.getByRole('checkbox', { name: 'Log lines' }).click();
      await row('index missing').waitFor();
      expect(await row('index missing').getAttribute('aria-level')).toBe('3');
      await page.getByText('4 spans, 1 failed, 1 log line').waitFor();
      await row('index missing').click();
      const line = page.getByRole('dialog', { name: 'Log line' });
      await line.getByText('shard').waitFor();
      await expectAccessibleInAllLooks(page, 'run-spans-line');
    },
    PATIENCE_MS,
  );

  it(
    'show their content where the agent keeps it, and each look is recorded',
    async () => {
      await page.goto(`/agents/${worker.id}?tab=configuration`);
      await page.getByRole('combobox', { name: 'Span content' }).click();
      await page.getByRole('option', { name: 'Input and output of tool calls' }).click();
      const warning = page.getByRole('dialog', { name: 'Keep content of invoice-reader?' });
      await warning.getByText('That can include passwords', { exact: false }).waitFor();
      await warning.getByRole('button', { name: 'Keep content' }).click();
      const setting = async (name: 'capture' | 'usage_from') =>
        (await owner.api.get(`/agents/${worker.id}`)).body[name];
      await until(async () => (await setting('capture')) === 'tools');
      await page.getByRole('combobox', { name: 'Usage is counted from' }).click();
      await page.getByRole('option', { name: 'Spans', exact: true }).click();
      await until(async () => (await setting('usage_from')) === 'spans');
      await expectAccessibleInAllLooks(page, 'agent-trace-settings');
      const attributes = { 'gen_ai.tool.call.arguments': 'invoice 17', 'gen_ai.tool.call.result': 'paid' };
      const run = await runWith([toolSpan({ tool: 'search', attributes })]);
      await page.goto(`/runs/${run}?tab=spans`);
      await row('execute_tool search').click();
      const details = page.getByRole('dialog', { name: 'execute_tool search' });
      await details.getByText('Each access is recorded in the audit log.').waitFor();
      const looks = async () => (await owner.api.get(`/audit?action=run.reveal&target_id=${run}`)).body;
      expect(await looks()).toEqual([]);
      await details.getByRole('button', { name: 'Show content' }).click();
      await details.getByRole('region', { name: 'content' }).getByText('invoice 17').waitFor();
      await details.getByText('This access is recorded in the audit log.').waitFor();
      expect(await looks()).toHaveLength(1);
      await expectAccessibleInAllLooks(page, 'run-spans-content');
    },
    PATIENCE_MS,
  );

  it(
    'are thousands, of which the page draws the visible ones',
    async () => {
      const at = { traceId: newTraceId(), startedAt: Date.now() - 600_000 };
      const ids = Array.from({ length: MANY }, newSpanId);
      const make = [llmSpan, toolSpan] as const;
      const spans = ids.map((spanId, index) => {
        const parent = index === 0 ? undefined : ids[Math.floor((index - 1) / 12) * 12];
        return make[index % 2]!({
          ...at,
          spanId,
          ...(parent !== undefined && { parentSpanId: parent }),
          startedAt: at.startedAt + index * 100,
          durationMs: 50 + (index % 12) * 400,
          ...(index % 97 === 5 && { status: { code: 2, message: 'it broke' } }),
          ...(index % 12 === 0 && { name: `step ${index / 12}` }),
        });
      });
      await page.goto(`/runs/${await runWith(spans)}?tab=spans`);
      await page.getByText('5,000 spans').waitFor();
      expect(await tree().getAttribute('aria-rowcount')).toBe(String(MANY + 1));
      const drawn = () => tree().getByRole('row').count();
      expect(await drawn()).toBeLessThan(60);
      await tree().focus();
      await page.keyboard.press('End');
      await until(
        async () =>
          (await tree()
            .locator(`[aria-rowindex="${MANY + 1}"]`)
            .count()) === 1,
      );
      expect(await drawn()).toBeLessThan(60);
      await page.keyboard.press('Home');
      await until(async () => (await active()) === 'step 0');
      await expectAccessibleInAllLooks(page, 'run-spans-many');
    },
    PATIENCE_MS,
  );
});
