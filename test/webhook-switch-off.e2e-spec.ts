import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson, removeEverybody } from './builders/people.js';
import {
  attempted,
  createWebhook,
  deliveriesOf,
  makeDue,
  queueEvents,
  settled,
  type TestWebhook,
  WEBHOOK_SETTINGS,
} from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

let app: TestApp;
let person: Person;
let receiver: WebhookReceiver;
let webhook: TestWebhook;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
});

beforeEach(async () => {
  // there is one operator, and some tests look at the only webhook that there is
  await removeEverybody(app);
  person = await registerPerson(app);
  receiver = await WebhookReceiver.start();
  webhook = await createWebhook(person, receiver.url);
});

afterEach(() => receiver.close());

afterAll(() => app.close());

/** Entries of the audit log that say why the service switched the webhook off. */
const switchOffs = async () =>
  (await person.api.get(`/audit?action=webhook.switch_off&target_id=${webhook.id}`)).body.map(
    ({ actor, details }: any) => [actor, details.reason],
  );

const webhookNow = async () => (await person.api.get(`/webhooks/${webhook.id}`)).body;

describe('The health of a webhook', () => {
  it('follows from the last attempts, in the list and in a single read', async () => {
    const health = async () => (await webhookNow()).health;
    expect(await health()).toEqual({ state: 'unknown', last_status_code: null, failing_since: null });
    await queueEvents(app, webhook.id, 1);
    await until(async () => (await health()).state === 'ok');
    expect(await health()).toEqual({ state: 'ok', last_status_code: 200, failing_since: null });
    receiver.answer(503);
    await queueEvents(app, webhook.id, 1);
    await until(async () => (await health()).state === 'failing');
    const failing = await health();
    expect(failing).toMatchObject({ last_status_code: 503, failing_since: expect.stringMatching(/Z$/) });
    receiver.answer(500);
    await makeDue(app, webhook.id);
    await until(async () => (await health()).last_status_code === 500);
    expect(await health()).toEqual({ ...failing, last_status_code: 500 });
    expect((await person.api.get('/webhooks')).body[0].health).toEqual(await health());
    await person.api.patch(`/webhooks/${webhook.id}`, { url: `${receiver.url}/moved` });
    expect(await health()).toEqual({ state: 'unknown', last_status_code: null, failing_since: null });
  });
});

describe('A queued delivery', () => {
  it('is not sent after its webhook is deleted, and is deleted by the purge', async () => {
    receiver.hang();
    await queueEvents(app, webhook.id, 20);
    await until(() => receiver.hangingCount === 2);
    expect((await person.api.delete(`/webhooks/${webhook.id}`)).status).toBe(204);
    receiver.answer(200);
    receiver.breakOff();
    const waiting = () =>
      app.database.query(`SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`, [
        webhook.id,
      ]);
    await until(async () => {
      await makeDue(app, webhook.id);
      return (await waiting()).length === 0;
    });
    expect(receiver.received).toHaveLength(2);
    await until(() => app.app.get(PeriodicJobs).runOnce('webhookPurge'));
    expect(await app.database.query('SELECT FROM webhooks WHERE id = $1', [webhook.id])).toEqual([]);
    expect(await app.database.query('SELECT FROM webhook_deliveries')).toEqual([]);
  });

  it('is deleted with its user', async () => {
    receiver.hang();
    await queueEvents(app, webhook.id, 20);
    await until(() => receiver.hangingCount === 2);
    await app.database.query('DELETE FROM projects WHERE id = $1', [person.id]);
    receiver.breakOff();
    const other = await registerPerson(app);
    receiver.answer(200);
    const { id } = await createWebhook(other, receiver.url);
    await queueEvents(app, id, 5);
    await settled(other, id);
    expect(receiver.received).toHaveLength(7);
  });

  it('is cancelled when the owner deactivates the webhook, and can be recovered', async () => {
    receiver.answer(500);
    await queueEvents(app, webhook.id, 5);
    await until(async () => (await deliveriesOf(person, webhook.id)).every(({ attempts }) => attempts > 0));
    await person.api.patch(`/webhooks/${webhook.id}`, { is_active: false });
    for (const delivery of await settled(person, webhook.id)) {
      expect(delivery).toMatchObject({
        status: 'failed',
        error_message: 'Not sent: the webhook was switched off',
      });
    }
    receiver.answer(200);
    await person.api.patch(`/webhooks/${webhook.id}`, { is_active: true });
    await person.api.post(`/webhooks/${webhook.id}/recover`, { since: '2020-01-01T00:00:00Z' });
    for (const { status } of await settled(person, webhook.id)) expect(status).toBe('succeeded');
  });

  it('is cancelled when the account is deactivated, and no other one is queued', async () => {
    const other = await registerPerson(app);
    const theirs = await createWebhook(other, receiver.url);
    const agent = await createAgent(app, other);
    await settled(other, theirs.id);
    receiver.answer(500);
    await queueEvents(app, theirs.id, 1);
    await until(async () => (await deliveriesOf(other, theirs.id))[0].attempts > 0);
    const operator = await registerOperator(app);
    await operator.api.patch(`/users/${other.id}`, { is_active: false });
    await until(async () => {
      const rows = await app.database.query(
        'SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL',
      );
      return rows.length === 0;
    });
    const before = (await app.database.query('SELECT FROM webhook_deliveries')).length;
    await agent.runtime.post('/agents/register', {});
    expect(await app.database.query('SELECT FROM webhook_deliveries')).toHaveLength(before);
  });
});

describe('A failing webhook', () => {
  it('is deactivated at once by a 410, and its queued deliveries are cancelled', async () => {
    receiver.answer(410);
    await queueEvents(app, webhook.id, 10);
    const deliveries = await settled(person, webhook.id);
    expect(await webhookNow()).toMatchObject({
      is_active: false,
      disabled_reason: 'The endpoint answered 410 Gone',
    });
    expect(await switchOffs()).toEqual([['service', 'The endpoint answered 410 Gone']]);
    expect(receiver.received.length).toBeLessThan(10);
    expect(deliveries.every(({ status }) => status === 'failed')).toBe(true);
    receiver.answer(200);
    await person.api.patch(`/webhooks/${webhook.id}`, { is_active: true });
    expect(await webhookNow()).toMatchObject({ is_active: true, disabled_reason: null });
    await createAgent(app, person, { name: 'heard of again' });
    await until(() => receiver.events.some(({ data }) => data.agent.name === 'heard of again'));
  });

  const failingSince = async () =>
    (await app.database.query<{ failing_since: Date | null }>('SELECT failing_since FROM webhooks'))[0]!
      .failing_since;
  const failOnce = async () => {
    receiver.answer(500);
    await queueEvents(app, webhook.id, 1);
    await attempted(app, person, webhook.id);
    expect(await failingSince()).not.toBeNull();
  };
  const hasFailedFor = (days: number) =>
    app.database.query(`UPDATE webhooks SET failing_since = now() - make_interval(days => $1)`, [days]);

  it('is deactivated after five days of failures', async () => {
    await failOnce();
    await hasFailedFor(5);
    await queueEvents(app, webhook.id, 1);
    const deliveries = await settled(person, webhook.id);
    expect(deliveries.every(({ status }) => status === 'failed')).toBe(true);
    expect(await webhookNow()).toMatchObject({
      is_active: false,
      disabled_reason: 'Every attempt has failed for five days',
    });
    expect(await switchOffs()).toEqual([['service', 'Every attempt has failed for five days']]);
    // Switched on again, it has five days again.
    await person.api.patch(`/webhooks/${webhook.id}`, { is_active: true });
    await failOnce();
    expect((await webhookNow()).is_active).toBe(true);
  });

  it('stays active after fewer days of failures and after a success in between', async () => {
    await failOnce();
    await hasFailedFor(4);
    await queueEvents(app, webhook.id, 1);
    await attempted(app, person, webhook.id);
    expect((await webhookNow()).is_active).toBe(true);
    // Before it has failed for too long: what waits for its second attempt may have it now.
    receiver.answer(200);
    await hasFailedFor(10);
    await queueEvents(app, webhook.id, 1);
    await until(async () => (await failingSince()) === null);
    expect((await webhookNow()).is_active).toBe(true);
  });

  it('is no longer failing when its URL is changed', async () => {
    await failOnce();
    await person.api.patch(`/webhooks/${webhook.id}`, { url: `${receiver.url}/elsewhere` });
    expect(await failingSince()).toBeNull();
  });
});
