import type { Page } from 'playwright-core';
import { askApproval, copyApproval, decided, type TestApproval, workingOn } from '../builders/approvals.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { addMember, createProject } from '../builders/projects.js';
import { until } from '../harness/until.js';
import { describeInBrowser, expectAccessibleInAllLooks, signIn } from './browser.js';
import { GRANTING, HOSTILE, inboxPicture } from './inbox.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;

describeInBrowser('Approvals in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  let owner: Person;
  let agent: TestAgent;

  beforeAll(async () => {
    stage = await PageStage.open();
    owner = await registerOperator(stage.service, 'ada@example.com');
    agent = await createAgent(stage.service, owner, { name: 'payer' });
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    // Nothing of this test waits in the next one.
    const end = "UPDATE approvals SET state = 'withdrawn', decided_at = now() WHERE state = 'pending'";
    await stage.service.database.query(end);
    expect(stage.browser.complaints).toEqual([]);
  });

  async function visitAs({ email }: Person, path: string): Promise<void> {
    page = await stage.browser.visit();
    await signIn(page, stage.web.url, { email, password: GOOD_PASSWORD });
    await page.goto(path);
  }

  const ask = (body: object = {}) => askApproval(agent, body);
  const card = (title: string) => page.getByRole('article', { name: title, exact: true });
  const button = (title: string, name: string) => card(title).getByRole('button', { name, exact: true });
  const outcome = (title: string) => card(title).getByRole('status');
  const stored = async ({ id }: TestApproval) =>
    (await owner.api.get(`/approvals/${id}`)).body as TestApproval;
  const isSelected = (title: string) =>
    until(async () => (await card(title).getAttribute('data-is-selected')) === 'true');
  const press = (key: string) => page.keyboard.press(key);

  it(
    'arrive while the page is open, are counted, and show a hostile text unchanged',
    async () => {
      await visitAs(owner, '/');
      const entry = page.getByRole('link', { name: /^Approvals/ });
      await entry.click();
      await page.getByRole('heading', { name: 'No approvals waiting' }).waitFor();
      await inboxPicture(page, 'inbox-none');
      await ask(HOSTILE);
      const hostile = card(HOSTILE.title);
      await hostile.waitFor();
      await entry.getByText('1 waiting').waitFor();
      await until(async () => (await page.title()) === '(1) Approvals · Agent control plane');
      for (const tag of ['b', 'img', 'script']) expect(await hostile.locator(tag).count()).toBe(0);
      const text = (await hostile.textContent())!;
      for (const unseen of '\u202e\u202c\u001b\u200b\u200f\u2066\u0007') expect(text).not.toContain(unseen);
      expect(text).toContain('<img src=x onerror=alert(1)> ok U+202E021U+202C U+001B[31mredU+001B[0m');
      expect(text).toContain('"DE02U+200B ×2U+200F9"');
      expect(text).toContain('"<script>x</script>U+2066\\u0007"');
      await ask({
        title: 'Delete 3 rows',
        risk: 'low',
        action: { name: 'delete_rows', args: { rows: [1, 2, 3] } },
      });
      await card('Delete 3 rows').waitFor();
      await expectAccessibleInAllLooks(page, 'approvals');
      await inboxPicture(page, 'inbox-three');
      await hostile.getByRole('button', { name: /^Show all [\d,]+ characters of the arguments/ }).click();
      await hostile.getByRole('button', { name: 'Fold the arguments' }).waitFor();
      expect((await hostile.textContent())!.match(/x{100,}/)![0]).toHaveLength(4_000);
      await page.getByRole('combobox', { name: 'Risk' }).click();
      await page.getByRole('option', { name: 'low risk' }).click();
      await hostile.waitFor({ state: 'detached' });
      await card('Delete 3 rows').getByRole('link', { name: 'payer' }).click();
      const waits = page.getByRole('status').filter({ hasText: 'Waiting for your decision' });
      await waits.getByRole('link', { name: HOSTILE.title }).click();
      await page.getByRole('heading', { level: 1, name: `Approval: ${HOSTILE.title}` }).waitFor();
      await expectAccessibleInAllLooks(page, 'approval');
    },
    PATIENCE_MS,
  );

  it(
    'are decided by keys that select first, and stay in their places',
    async () => {
      const [one, two, three] = [
        await ask({ title: 'one' }),
        await ask({ title: 'two' }),
        await ask({ title: 'three' }),
      ];
      await visitAs(owner, '/approvals');
      await card('three').waitFor();
      await press('a');
      await press('j');
      await isSelected('one');
      await press('a');
      await button('one', 'Approve send_payment').waitFor();
      await press('Escape');
      await button('one', 'Approve').waitFor();
      // A key that is held down is one press.
      await page.keyboard.down('a');
      await page.keyboard.down('a');
      await page.keyboard.up('a');
      await button('one', 'Approve send_payment').waitFor();
      expect((await stored(one)).state).toBe('pending');
      await press('j');
      await isSelected('two');
      await press('k');
      await isSelected('one');
      await press('a');
      await outcome('one').getByText('Approved by you').waitFor();
      expect((await stored(one)).state).toBe('approved');
      await press('j');
      await isSelected('two');
      await press('r');
      await card('two').getByLabel('Reason').fill('not today');
      await press('Escape');
      await press('r');
      await press('r');
      await outcome('two').getByText('Rejected by you').waitFor();
      expect(await stored(two)).toMatchObject({ state: 'rejected', reason: null });
      expect((await card('one').boundingBox())!.y).toBeLessThan((await card('three').boundingBox())!.y);
      await page.getByRole('button', { name: 'Tidy up 2 that left the list' }).click();
      await card('one').waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: /^Keys/ }).uncheck();
      await card('three').click();
      await press('a');
      await press('a');
      await button('three', 'Answer').click();
      await card('three').getByLabel('Answer').fill('Ask again tomorrow');
      await button('three', 'Send answer').click();
      await outcome('three').getByText('Answered by you').waitFor();
      expect(await stored(three)).toMatchObject({ state: 'responded', response: 'Ask again tomorrow' });
    },
    PATIENCE_MS,
  );

  it(
    'notify where a person has pressed a button for it, and looks elsewhere',
    async () => {
      page = await stage.browser.visit();
      await page.addInitScript(GRANTING);
      await signIn(page, stage.web.url, { email: owner.email, password: GOOD_PASSWORD });
      const counted = page.waitForResponse(/include_total=true/);
      await page.goto('/approvals');
      await counted;
      const notify = page.getByRole('button', { name: 'Notify me' });
      await notify.waitFor();
      expect(await page.evaluate('notified')).toEqual([]);
      await notify.click();
      await page.getByRole('button', { name: 'Stop notifying me' }).waitFor();
      await page.getByRole('link', { name: 'Agents', exact: true }).click();
      await ask({ title: 'not quoted' });
      const notified = () => page.evaluate<string[]>('notified');
      await until(async () => (await notified()).length === 2);
      expect(await notified()).toEqual(['asked', 'One approval is waiting']);
    },
    PATIENCE_MS,
  );

  it(
    'of an agent with many questions hide no other, and nothing moves when another person decides',
    async () => {
      const flooder = await createAgent(stage.service, owner, { name: 'flooder' });
      const first = await askApproval(flooder, { title: 'first' });
      await copyApproval(stage.service, first, 296);
      await ask({ title: 'small', description: 'The only one of its agent.' });
      await visitAs(owner, '/approvals');
      const agents = page.getByRole('list', { name: 'Agents waiting for approval' });
      await agents.getByRole('button', { name: 'flooder 297' }).waitFor();
      const cards = page.getByRole('list', { name: 'Approvals' }).getByRole('article');
      await until(async () => (await cards.count()) === 20);
      await inboxPicture(page, 'inbox-three-hundred');
      await page.getByRole('button', { name: 'Show more' }).click();
      await until(async () => (await cards.count()) === 40);
      const place = async () => (await cards.nth(39).boundingBox())!.y;
      const before = await place();
      const id = (await cards.first().getAttribute('id'))!.replace('approval-', '');
      await decided(owner, { ...first, id }, { decision: 'reject' });
      await cards.first().getByText('Rejected by you').waitFor();
      expect(await place()).toBe(before);
      await agents.getByRole('button', { name: 'payer 1' }).click();
      await until(async () => (await cards.count()) === 1);
      await card('small').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'of high risk ask for the name of the action, and no double click approves',
    async () => {
      const asked = await ask({ title: 'Pay it', risk: 'high' });
      const careful = await ask({ title: 'no edits', allowed_decisions: ['approve', 'reject'] });
      await visitAs(owner, '/approvals');
      await button('no edits', 'Approve').dblclick();
      await button('no edits', 'Approve send_payment').waitFor();
      await button('no edits', 'Cancel').click();
      await button('no edits', 'Approve').focus();
      await page.keyboard.down('Enter');
      await button('no edits', 'Approve send_payment').waitFor();
      await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      await button('no edits', 'Approve send_payment').waitFor();
      expect((await stored(careful)).state).toBe('pending');
      expect(await card('no edits').getByRole('button', { name: 'Edit' }).count()).toBe(0);
      await button('Pay it', 'Approve').click();
      const approve = button('Pay it', 'Approve send_payment');
      expect(await approve.isDisabled()).toBe(true);
      await page.keyboard.type('send_paymen');
      await press('Enter');
      expect(await approve.isDisabled()).toBe(true);
      await page.keyboard.type('t');
      await card('Pay it').getByLabel('Reason').fill('The invoice is right');
      await approve.click();
      await outcome('Pay it').getByText('Approved by you').waitFor();
      expect(await stored(asked)).toMatchObject({ state: 'approved', reason: 'The invoice is right' });
    },
    PATIENCE_MS,
  );

  it(
    'are edited with faults said plainly and a diff before the act',
    async () => {
      const asked = await ask({ title: 'Pay invoice' });
      await visitAs(owner, `/approvals/${asked.id}`);
      await button('Pay invoice', 'Edit').click();
      const editor = card('Pay invoice').getByRole('textbox', { name: 'Arguments' });
      const review = button('Pay invoice', 'Review changes');
      await editor.fill('{"to": "DE02", "euros": 20,}');
      await card('Pay invoice').getByText('Line 1, column 28: A "," may not stand before "}"').waitFor();
      expect(await review.isDisabled()).toBe(true);
      await editor.fill('{"to": "DE02", "euros": 120}');
      await card('Pay invoice').getByText('Nothing has changed yet').waitFor();
      await editor.fill('{"to": "DE02", "euros": 20}');
      await review.click();
      const diff = card('Pay invoice').getByRole('group', { name: 'What changes' });
      expect(await diff.textContent()).toContain('-   "euros": 120');
      expect(await diff.textContent()).toContain('+   "euros": 20');
      await expectAccessibleInAllLooks(page, 'approval-edit');
      expect((await stored(asked)).state).toBe('pending');
      await button('Pay invoice', 'Approve send_payment').focus();
      await press('a');
      await outcome('Pay invoice').getByText('Approved with changes by you').waitFor();
      expect(await stored(asked)).toMatchObject({ state: 'edited', edited_args: { to: 'DE02', euros: 20 } });
    },
    PATIENCE_MS,
  );

  it(
    'need two people where the project demands it, and name the first and the second one',
    async () => {
      const project_id = await createProject(owner, 'Billing');
      const bob = await addMember(stage.service, owner, project_id, 'deployer');
      const viewer = await addMember(stage.service, owner, project_id, 'viewer');
      await visitAs(owner, `/projects/${project_id}`);
      await page.getByRole('button', { name: 'Actions for Billing' }).click();
      await page.getByRole('menuitem', { name: 'Approvals' }).click();
      await page.getByRole('checkbox', { name: /^Actions of high risk/ }).check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const api = stage.service.api.as((await owner.api.post('/api-keys', { name: 'ci' })).body.key);
      const { worker, runId } = await workingOn(stage.service, { ...owner, api }, { project_id });
      const own = await askApproval(worker, { title: 'of my run', risk: 'high', run_id: runId });
      const big = await askApproval(worker, { title: 'big', risk: 'high' });
      const raced = await askApproval(worker, { title: 'raced' });
      await page.goto(`/runs/${runId}`);
      await page.getByRole('link', { name: 'of my run' }).click();
      await card('of my run').getByText('You requested this run').first().waitFor({ state: 'attached' });
      await decided(bob, big, { decision: 'edit', edited_args: { to: 'DE02', euros: 5 } });
      await page.goto('/approvals');
      await card('big').getByText(`Approved by ${bob.email}, the first of two people`).waitFor();
      await button('big', 'Approve the changes').click();
      await page.keyboard.type('send_payment');
      await press('Enter');
      await outcome('big').getByText('Approved with changes by you').waitFor();
      expect((await stored(big)).edited_args).toEqual({ to: 'DE02', euros: 5 });
      // This page does not learn of the other decision before it sends its own.
      await page.route(/\/api\/dashboard\/approvals\?/, () => undefined);
      await button('raced', 'Approve').click();
      await decided(bob, raced, { decision: 'reject' });
      await button('raced', 'Approve send_payment').click();
      await outcome('raced').getByText(`Rejected by ${bob.email}`).waitFor();
      await page.getByText('Somebody decided before you').waitFor();
      await visitAs(viewer, `/approvals/${own.id}`);
      const refused = card('of my run').getByRole('button', { name: /^Reject/ });
      await refused.getByText('Needs the role deployer').waitFor({ state: 'attached' });
    },
    PATIENCE_MS,
  );
});
