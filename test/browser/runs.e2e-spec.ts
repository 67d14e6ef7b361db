import type { Locator, Page } from 'playwright-core';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { createProject, setMembership } from '../builders/projects.js';
import { ask, claim, createWorker, readRun, tell } from '../builders/runs.js';
import { until } from '../harness/until.js';
import { describeInBrowser, expectAccessibleInAllLooks, refused, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;

describeInBrowser('Runs in the dashboard', () => {
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

  async function visitAs({ email }: Person): Promise<void> {
    page = await stage.browser.visit();
    await signIn(page, stage.web.url, { email, password: GOOD_PASSWORD });
  }

  const expectAccessible = (name: string) => expectAccessibleInAllLooks(page, `runs-${name}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const status = (word: string) =>
    page.locator('main header [role=status]').getByText(word, { exact: true }).waitFor();
  /** The id of the run whose page is open. */
  const openedId = async () => {
    await page.waitForURL(/\/runs\/[\da-f-]{36}$/);
    return new URL(page.url()).pathname.slice('/runs/'.length);
  };

  it('are explained to a user who has none', async () => {
    await visitAs(owner);
    await page.goto('/runs');
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await page.getByText('A run is one piece of work for an agent').waitFor();
    await page.getByRole('link', { name: 'Choose an agent to run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
  });

  it(
    'are created with an input, followed until they end, and found again by filters',
    async () => {
      await visitAs(owner);
      await page.goto(`/agents/${worker.id}?tab=runs`);
      await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
      await button('Run').first().click();
      const dialog = page.getByRole('dialog');
      const input = dialog.getByRole('textbox', { name: 'Input' });
      const go = dialog.getByRole('button', { name: 'Run', exact: true });
      await dialog.getByText('It runs without input.').waitFor();
      await input.fill('{"question": "How many are open?",}');
      await dialog.getByText('A "," may not stand before "}"').waitFor();
      expect(await go.isDisabled()).toBe(true);
      await input.fill('{"question": "How many are open?"}');
      await dialog.getByText('Sent as JSON: an object.').waitFor();
      await dialog.getByRole('button', { name: 'More' }).click();
      await dialog.getByLabel('Name').fill('count the invoices');
      await dialog.getByLabel('Priority').fill('7');
      await dialog.getByLabel('Time limit').fill('600');
      await expectAccessible('dialog');
      await go.click();

      await page.getByRole('heading', { level: 1, name: 'count the invoices' }).waitFor();
      await status('queued');
      await page.getByText('waiting for the agent to take the run').waitFor();
      const id = await openedId();
      expect(await readRun(owner, id)).toMatchObject({
        input: { question: 'How many are open?' },
        priority: 7,
        timeout_seconds: 600,
      });

      await claim(worker);
      await status('running');
      await tell(worker, { run_id: id, status: 'running', progress: { percent: 40, message: 'page 4' } });
      await page.getByText('40 %, page 4').waitFor();
      await worker.runtime.post('/agents/logs', {
        logs: [
          { level: 'info', message: 'page 4 has 12 of them', run_id: id },
          { level: 'info', message: 'of no run' },
        ],
      });
      await page.getByRole('tab', { name: 'Logs' }).click();
      await page.getByText('page 4 has 12 of them').waitFor();
      expect(await page.getByText('of no run').count()).toBe(0);
      await page.getByRole('tab', { name: 'Timeline' }).click();
      await tell(worker, { run_id: id, status: 'waiting', waiting_reason: 'approval of the total' });
      await page.getByText('approval of the total').first().waitFor();
      await tell(worker, { run_id: id, status: 'succeeded', output: { open: 42, of: ['May', 'June'] } });
      await status('succeeded');
      const output = page.getByRole('region', { name: 'output' });
      await output.getByText('42').waitFor();
      await page.locator('li').filter({ hasText: 'Succeeded' }).waitFor();
      await expectAccessible('ended');
      await output.getByText('of: [ 2 items ]').click();
      await output.getByText('"June"').waitFor({ state: 'detached' });

      await page.goto('/runs?status=failed');
      await page.getByRole('heading', { name: 'No run matches' }).waitFor();
      await choose(page.getByRole('combobox', { name: 'Status' }), 'succeeded');
      await choose(page.getByRole('combobox', { name: 'Agent' }), 'invoice-reader');
      const row = page.getByRole('row').filter({ hasText: 'count the invoices' });
      await row.getByRole('cell', { name: 'succeeded' }).waitFor();
      expect(new URL(page.url()).search).toBe(`?status=succeeded&agent=${worker.id}`);
      await expectAccessible('list');
    },
    PATIENCE_MS,
  );

  it('offer the last inputs again, and send a text unchanged', async () => {
    const { id: first } = await ask(owner, worker, { input: 'What is due?' });
    await visitAs(owner);
    await page.goto(`/agents/${worker.id}`);
    await button('Run').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'What is due?' }).click();
    await dialog.getByText('Sent as text.').waitFor();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'input' }).getByText('What is due?').waitFor();
    const second = await openedId();
    expect(second).not.toBe(first);
    expect(await readRun(owner, second)).toMatchObject({ input: 'What is due?' });
  });

  it('are created with a later start and further attempts, and are retried', async () => {
    await visitAs(owner);
    await page.goto(`/agents/${worker.id}`);
    await button('Run').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'More' }).click();
    await dialog.getByLabel('Name').fill('tried again');
    await dialog.getByLabel('Attempts').fill('2');
    await dialog.getByLabel('Also retry when the agent loses the run').check();
    await dialog.getByRole('button', { name: 'Start after', exact: true }).click();
    await dialog.getByRole('button', { name: 'Next month' }).click();
    await dialog.getByRole('button', { name: /^1 \w+ \d{4}$/ }).click();
    await dialog.getByRole('button', { name: 'Use this time' }).click();
    await expectAccessible('more');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('starts in').or(page.getByText('starts at')).first().waitFor();
    const id = await openedId();
    const { database } = stage.service;
    const [rules] = await database.query(
      'SELECT max_attempts, retries_abandoned, available_at > now() AS is_later FROM runs WHERE id = $1',
      [id],
    );
    expect(rules).toEqual({ max_attempts: 2, retries_abandoned: true, is_later: true });
    await database.query('UPDATE runs SET available_at = now(), priority = 9 WHERE id = $1', [id]);
    await until(async () => (await claim(worker)).some((run) => run.run_id === id));
    await status('running');
    await tell(worker, { run_id: id, status: 'failed', error: 'no luck' });
    await status('queued');
    await page.getByText('Why the last attempt failed').waitFor();
  });

  it('are cancelled with a reason, and created again as a new run', async () => {
    const { id } = await ask(owner, worker, { name: 'by mistake' });
    await visitAs(owner);
    await page.goto(`/runs/${id}`);
    await status('queued');
    await button('Cancel run').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('asked twice');
    await dialog.getByRole('button', { name: 'Cancel run' }).click();
    await status('cancelled');
    await page.getByText('asked twice').first().waitFor();
    await button('Retry').click();
    await status('queued');
    await page.getByRole('link', { name: `…${id.slice(-8)}` }).waitFor();
    expect(await readRun(owner, await openedId())).toMatchObject({ name: 'by mistake', retry_of: id });
  });

  it('are sent to a webhook with their input and output if a person says so', async () => {
    await visitAs(owner);
    await page.goto('/webhooks');
    await button('Create webhook').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/hook');
    const payloads = dialog.getByLabel('Include input and output of runs');
    expect(await payloads.isChecked()).toBe(false);
    await payloads.check();
    await expectAccessible('webhook');
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('region', { name: 'signing secret' }).waitFor();
    const [webhook] = (await owner.api.get('/webhooks')).body;
    expect(webhook.include_payloads).toBe(true);
    await page.goto(`/webhooks/${webhook.id}`);
    await page.getByText('With input and output of runs').waitFor();
    await button('Edit').click();
    await payloads.uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('With input and output of runs').waitFor({ state: 'detached' });
    expect((await owner.api.get('/webhooks')).body[0].include_payloads).toBe(false);
  });

  it('are listed by the hundred, each queued one with the reason why it waits', async () => {
    const idle = await createAgent(stage.service, owner, { name: 'idle' });
    await stage.service.database.query(
      `INSERT INTO runs (id, agent_id, project_id, name, status, status_source, source, actor, trace_id)
       SELECT gen_random_uuid(), agent.id, agent.user_id, 'many ' || number, 'queued', 'user', 'api', 'user:' || agent.user_id, ''
       FROM agents AS agent, generate_series(1, 300) AS number WHERE agent.id = $1`,
      [idle.id],
    );
    await visitAs(owner);
    await page.goto(`/runs?agent=${idle.id}`);
    const rows = page.getByRole('row').filter({ hasText: 'many' });
    await rows.first().getByText('the agent has no active deployment').waitFor();
    await until(async () => (await rows.count()) > 5);
    await expectAccessible('hundreds');
  });

  it('are visible to a viewer, who can neither create nor cancel them', async () => {
    const viewer = await registerPerson(stage.service, 'bob@example.com');
    const project_id = await createProject(owner, 'Billing');
    await setMembership(stage.service, project_id, viewer, 'viewer');
    const agent = await createAgent(stage.service, owner, { name: 'billing-agent', project_id });
    const { id } = await ask(owner, agent, { name: 'monthly bill' });
    await visitAs(viewer);
    await page.goto(`/runs/${id}`);
    await page.getByText('the agent has no active deployment').waitFor();
    for (const name of [/^Cancel run/, /^Retry/])
      await refused(page.getByRole('button', { name }), 'Needs the role deployer');
    await page.getByRole('link', { name: 'billing-agent' }).click();
    const row = page.getByRole('row').filter({ hasText: 'monthly bill' });
    await row.getByText('the agent has no active deployment').waitFor();
    await refused(page.getByRole('button', { name: /^Run/ }), 'Needs the role deployer');
  });

  async function choose(field: Locator, option: string): Promise<void> {
    await field.click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }
});
