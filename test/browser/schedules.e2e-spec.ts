import type { Page } from 'playwright-core';
import type { TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { createProject, setMembership } from '../builders/projects.js';
import { createWorker, readRun } from '../builders/runs.js';
import { createSchedule, readSchedule } from '../builders/schedules.js';
import { describeInBrowser, expectAccessibleInAllLooks, refused, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;

describeInBrowser('Schedules in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  let owner: Person;
  let reporter: TestAgent;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    reporter = await createWorker(stage.service, owner, { name: 'reporter' });
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

  const expectAccessible = (name: string) => expectAccessibleInAllLooks(page, `schedules-${name}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const status = (word: string) =>
    page.locator('main header [role=status]').getByText(word, { exact: true }).waitFor();
  const openedId = async (kind: 'runs' | 'schedules') => {
    await page.waitForURL(new RegExp(`/${kind}/[\\da-f-]{36}$`));
    return new URL(page.url()).pathname.split('/').at(-1)!;
  };
  const terms = async (id: string) => {
    const { name, cron, every_seconds, timezone, input, overlap, catch_up, retry } = await readSchedule(
      owner,
      id,
    );
    return { name, cron, every_seconds, timezone, input, overlap, catch_up, retry };
  };

  it(
    'are made by the clock of a zone, show their next five times, and are changed',
    async () => {
      await visitAs(owner);
      await page.goto('/schedules');
      await page.getByRole('heading', { name: 'No schedules yet' }).waitFor();
      await expectAccessible('none');
      await button('New schedule').click();
      const dialog = page.getByRole('dialog');
      const save = dialog.getByRole('button', { name: 'Create schedule' });
      expect(await dialog.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Europe/Berlin');
      expect(await save.isDisabled()).toBe(true);
      await dialog.getByRole('combobox', { name: 'Agent' }).click();
      await page.getByRole('option', { name: 'reporter' }).click();
      await dialog.getByLabel('Name').fill('daily report');
      await dialog.getByLabel('Cron expression').fill('0 25 * * *');
      await dialog.getByRole('textbox', { name: 'Input' }).fill('{"report": "daily"}');
      await save.click();
      await dialog.getByText('cron must be five fields').waitFor();
      await dialog.getByRole('button', { name: 'Weekdays at 9' }).click();
      await dialog.getByRole('combobox', { name: 'Time zone' }).fill('Toky');
      await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
      await dialog.getByRole('button', { name: 'More' }).click();
      await dialog.getByLabel('Attempts').fill('3');
      await dialog.getByLabel('First retry delay').fill('10');
      await expectAccessible('dialog');
      await save.click();

      await page.getByRole('heading', { level: 1, name: 'daily report' }).waitFor();
      await status('active');
      const id = await openedId('schedules');
      expect(await terms(id)).toEqual({
        name: 'daily report',
        cron: '0 9 * * MON-FRI',
        every_seconds: null,
        timezone: 'Asia/Tokyo',
        input: { report: 'daily' },
        overlap: 'skip',
        catch_up: 'none',
        retry: { max_attempts: 3, first_delay_seconds: 10, abandoned: false },
      });
      const times = page.getByRole('list', { name: 'Next times' }).getByRole('listitem');
      expect(await times.count()).toBe(5);
      // midnight in UTC
      expect(await times.first().innerText()).toMatch(/day,? \d+ \w+ \d{4} at 0[12]:00\s/);
      expect(await times.first().innerText()).toMatch(/at 09:00 in Asia.Tokyo/);
      await page.getByText('Times are in Europe/Berlin.').waitFor();
      await expectAccessible('one');

      await button('Edit').click();
      await dialog.getByText('At an interval').click();
      await dialog.getByLabel('Each').fill('2');
      await dialog.getByRole('combobox', { name: 'Unit' }).click();
      await page.getByRole('option', { name: 'hours' }).click();
      await dialog.getByLabel('Catch up on missed runs').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('every 2 hours').waitFor();
      expect(await terms(id)).toMatchObject({ cron: null, every_seconds: 7_200, catch_up: 'one' });
    },
    PATIENCE_MS,
  );

  it('are paused, resumed, run at once and deleted', async () => {
    const { id } = await createSchedule(owner, reporter, { name: 'weekly report', cron: '0 9 * * MON' });
    await visitAs(owner);
    await page.goto(`/agents/${reporter.id}?tab=schedules`);
    await page.getByRole('link', { name: 'weekly report' }).click();
    await page.getByText('It has not started a run yet.').waitFor();
    await button('Pause').click();
    await status('paused');
    await page.getByText('None while it is paused.').waitFor();
    await button('Run now').click();
    const run = await openedId('runs');
    expect(await readRun(owner, run)).toMatchObject({ schedule_id: id, name: 'weekly report' });
    await page.getByRole('link', { name: `…${id.slice(-8)}` }).click();
    await page.getByRole('link', { name: `Run …${run.slice(-8)}` }).waitFor();
    await page.getByText(/^It waits: (waiting for the agent to take the run|agent offline)/).waitFor();
    await button('Resume').click();
    await status('active');
    await page.getByRole('list', { name: 'Next times' }).waitFor();
    await page.goto('/schedules?active=true');
    const row = page.getByRole('row').filter({ hasText: 'weekly report' });
    await row.getByRole('link', { name: 'queued' }).waitFor();
    await expectAccessible('few');
    await row.getByRole('link', { name: 'weekly report' }).click();
    await button('More actions').click();
    await page.getByRole('menuitem', { name: 'Delete schedule' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click();
    await page.waitForURL(/\/schedules$/);
    await row.waitFor({ state: 'detached' });
    expect((await owner.api.get(`/schedules/${id}`)).status).toBe(404);
    expect(await readRun(owner, run)).toMatchObject({ status: 'queued' });
  });

  it('are listed by the hundred, page by page', async () => {
    await stage.service.database.query(
      `INSERT INTO schedules (id, agent_id, project_id, name, every_seconds, timezone, overlap, catch_up, anchored_at, next_run_at)
       SELECT gen_random_uuid(), agent.id, agent.user_id, 'many ' || number, 3600, 'UTC', 'skip', 'none', now(), now() + interval '1 hour'
       FROM agents AS agent, generate_series(1, 300) AS number WHERE agent.id = $1`,
      [reporter.id],
    );
    await visitAs(owner);
    await page.goto('/schedules');
    const table = page.getByRole('table', { name: 'Schedules' });
    await table.getByText('many').first().waitFor();
    await expectAccessible('hundreds');
  });

  it('can be seen, but not changed, by a viewer', async () => {
    const viewer = await registerPerson(stage.service, 'bob@example.com');
    const project_id = await createProject(owner, 'Billing');
    await setMembership(stage.service, project_id, viewer, 'viewer');
    const agent = await createWorker(stage.service, owner, { name: 'billing-agent', project_id });
    const { id } = await createSchedule(owner, agent, { name: 'monthly bill' });
    await visitAs(viewer);
    await page.goto(`/schedules/${id}`);
    await page.getByRole('heading', { level: 1, name: 'monthly bill' }).waitFor();
    for (const name of [/^Run now/, /^Pause/, /^Edit/])
      await refused(page.getByRole('button', { name }), 'Needs the role deployer');
  });
});
