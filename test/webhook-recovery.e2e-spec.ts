import { type Person, registerPerson } from './builders/people.js';
import {
  attempted,
  createWebhook,
  deliveriesOf,
  makeDue,
  queueEvents,
  settled,
  WEBHOOK_SETTINGS,
} from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let app: TestApp;
let person: Person;
let receiver: WebhookReceiver;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
});

beforeEach(async () => {
  person = await registerPerson(app);
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.close());
afterAll(() => app.close());

const over = (webhookId: string, attempts = 1) => attempted(app, person, webhookId, attempts);

/** The details of what the person did to the webhook. */
const auditedAs = async (action: string, webhookId: string) =>
  (await person.api.get(`/audit?action=${action}&target_id=${webhookId}&actor=user:${person.id}`)).body.map(
    ({ details }: any) => details,
  );

describe('POST /webhooks/{id}/deliveries/{delivery_id}/redeliver', () => {
  it('sends the same message again in any state', async () => {
    const { id } = await createWebhook(person, receiver.url);
    await queueEvents(app, id, 1);
    const first = await over(id);
    expect(first.status).toBe('succeeded');
    const reply = await person.api.post(`/webhooks/${id}/deliveries/${first.id}/redeliver`);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id: first.id, status: 'pending', success: false });
    expect(await auditedAs('webhook.redeliver', id)).toEqual([{ delivery_id: first.id }]);
    await until(() => receiver.received.length === 2);
    expect(await over(id, 2)).toMatchObject({ status: 'succeeded' });
    const [one, other] = receiver.received;
    expect(other!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
    expect(other!.body).toBe(one!.body);
  });

  it('restarts the retry schedule', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(500);
    await queueEvents(app, id, 1);
    await over(id);
    await app.database.query('UPDATE webhook_deliveries SET failures = 7 WHERE webhook_id = $1', [id]);
    await makeDue(app, id);
    const failed = await over(id, 2);
    expect(failed.status).toBe('failed');
    await person.api.post(`/webhooks/${id}/deliveries/${failed.id}/redeliver`);
    expect((await over(id, 3)).status).toBe('pending');
  });

  it('does not interrupt an attempt in progress', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.hang();
    await queueEvents(app, id, 1);
    await until(() => receiver.hangingCount === 1);
    const [delivery] = await deliveriesOf(person, id);
    const reply = await person.api.post(`/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    expect(reply.body).toEqual(delivery);
    receiver.breakOff();
    expect((await over(id)).attempts).toBe(1);
  });

  it("is refused for an inactive webhook and for another webhook's delivery", async () => {
    const { id } = await createWebhook(person, receiver.url);
    const other = await createWebhook(person, receiver.url);
    await queueEvents(app, id, 1);
    const { id: deliveryId } = await over(id);
    for (const path of [`${id}/deliveries/${UNKNOWN}`, `${other.id}/deliveries/${deliveryId}`]) {
      const reply = await person.api.post(`/webhooks/${path}/redeliver`);
      expect(reply.status).toBe(404);
      expect(reply.body.message).toBe('Delivery not found');
    }
    await person.api.patch(`/webhooks/${id}`, { is_active: false });
    const reply = await person.api.post(`/webhooks/${id}/deliveries/${deliveryId}/redeliver`);
    expect(reply.status).toBe(409);
    expect(reply.body.message).toBe('The webhook is switched off: switch it on first');
  });
});

describe('POST /webhooks/{id}/recover', () => {
  it('sends only messages again that failed for good since a time', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.behave(({ body }) => ({ status: body.includes('"name":"4"}') ? 200 : 500 }));
    await queueEvents(app, id, 4);
    await until(async () =>
      (await deliveriesOf(person, id)).every(({ status_code }) => status_code !== null),
    );
    // Number 1 failed long ago, 2 and 3 just now, 4 succeeded.
    const change = (set: string, number: number) =>
      app.database.query(`UPDATE webhook_deliveries SET ${set} WHERE payload LIKE '%"name":"${number}"}%'`);
    for (const number of [1, 2, 3]) await change(`status = 'failed', next_attempt_at = NULL`, number);
    await change(`created_at = now() - interval '2 days'`, 1);
    receiver.answer(200);
    const since = new Date(Date.now() - 86_400_000).toISOString();
    const before = receiver.received.length;
    const reply = await person.api.post(`/webhooks/${id}/recover`, { since });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ recovered: 2, has_more: false });
    expect(await auditedAs('webhook.recover', id)).toEqual([{ since, recovered: 2 }]);
    await settled(person, id);
    const again = receiver.received.slice(before).map(({ body }) => Number(JSON.parse(body).data.agent.name));
    expect(again.sort()).toEqual([2, 3]);
    expect((await person.api.post(`/webhooks/${id}/recover`, { since })).body.recovered).toBe(0);
  });

  it('does not resend a failed test, because a test is one attempt', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(500);
    expect((await person.api.post(`/webhooks/${id}/test`)).status).toBe(502);
    receiver.answer(200);
    const reply = await person.api.post(`/webhooks/${id}/recover`, { since: '2020-01-01' });
    expect(reply.body).toEqual({ recovered: 0, has_more: false });
    expect(await deliveriesOf(person, id)).toMatchObject([{ status: 'failed', attempts: 1 }]);
  });

  it.each(['2020-01-01', '2020-01-01T00:00', '2020-01-01T00:00:00.123456+02:00'])(
    'accepts %s',
    async (since) => {
      const { id } = await createWebhook(person, receiver.url);
      expect((await person.api.post(`/webhooks/${id}/recover`, { since })).status).toBe(200);
    },
  );

  it.each([
    [{}],
    [{ since: null }],
    [{ since: 7 }],
    [{ since: 'yesterday' }],
    [{ since: '2026-W05' }],
    [{ since: '2026-13-01T00:00:00Z' }],
    [{ since: '2026-01-31T09:30:61Z' }],
  ])('refuses %j', async (body) => {
    const { id } = await createWebhook(person, receiver.url);
    expect((await person.api.post(`/webhooks/${id}/recover`, body)).status).toBe(422);
  });

  it('is refused for an inactive webhook', async () => {
    const { id } = await createWebhook(person, receiver.url, { is_active: false });
    expect((await person.api.post(`/webhooks/${id}/recover`, { since: '2026-01-01T00:00:00Z' })).status).toBe(
      409,
    );
  });
});
