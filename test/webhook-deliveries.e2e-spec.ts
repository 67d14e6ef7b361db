import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
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

describe('A webhook message', () => {
  it('is accepted by the published verifiers, with the bytes that the API returns', async () => {
    const { id, secret } = await createWebhook(person, receiver.url);
    await person.api.post('/agents', { name: 'Grüße, 世界', config: '{"token": "hidden"}' });
    const delivery = await over(id);
    const [message] = receiver.received;
    expect(message).toMatchObject({ method: 'POST', path: '/hook', body: delivery.payload });
    expect(message!.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': delivery.id });
    const read = new StandardWebhook(secret).verify(message!.body, message!.headers);
    expect(new SvixWebhook(secret).verify(message!.body, message!.headers)).toEqual(read);
    expect(read).toMatchObject({ type: 'agent.created', data: { agent: { name: 'Grüße, 世界' } } });
    expect(message!.body).not.toContain('hidden');
    expect(delivery).toEqual({
      id: expect.any(String),
      webhook_id: id,
      event: 'agent.created',
      payload: message!.body,
      status: 'succeeded',
      success: true,
      status_code: 200,
      response_body: '',
      error_message: null,
      attempts: 1,
      next_attempt_at: null,
      created_at: expect.any(String),
      delivered_at: expect.any(String),
    });
  });

  it('is sent again with the same id and body when it was not accepted', async () => {
    const { id, secret } = await createWebhook(person, receiver.url);
    receiver.answer(500, { body: 'oops' });
    await queueEvents(app, id, 1);
    const failed = await over(id);
    expect(failed).toMatchObject({
      status: 'pending',
      success: false,
      status_code: 500,
      response_body: 'oops',
      error_message: 'The endpoint answered 500',
      next_attempt_at: expect.any(String),
      delivered_at: null,
    });
    receiver.answer(200);
    await makeDue(app, id);
    expect(await over(id, 2)).toMatchObject({
      status: 'succeeded',
      error_message: null,
      status_code: 200,
    });
    const [first, second] = receiver.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    new StandardWebhook(secret).verify(second!.body, second!.headers);
  });

  it('is given up after the eighth attempt', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(503);
    await queueEvents(app, id, 1);
    for (let attempt = 1; attempt <= 8; attempt++) {
      await over(id, attempt);
      await makeDue(app, id);
    }
    expect(await over(id, 8)).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(receiver.received).toHaveLength(8);
  });

  it.each([301, 302, 307, 308])('does not follow a redirect with the status %i', async (status) => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(status, { headers: { location: `http://127.0.0.1:${receiver.port}/elsewhere` } });
    await queueEvents(app, id, 1);
    const failed = await over(id);
    expect(failed).toMatchObject({ status: 'pending', status_code: status });
    expect(failed.error_message).toBe(`The endpoint answered ${status}; redirects are not followed`);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  it.each<[asked: string, retryAfter: string | string[]]>([
    ['asks', '1000'],
    ['asks first, where it asks twice', ['1000', '5']],
  ])('is retried after the delay of a receiver that %s', async (_, retryAfter) => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(429, { headers: { 'retry-after': retryAfter } });
    await queueEvents(app, id, 1);
    const failed = await over(id);
    expect(Date.parse(failed.next_attempt_at) - Date.parse(failed.created_at)).toBeGreaterThanOrEqual(
      1_000_000,
    );
  });

  it('has the first 2 KiB of the reply stored as valid text', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(200, { body: `\u0000${'ß'.repeat(50_000)}` });
    await queueEvents(app, id, 1);
    const { response_body } = await over(id);
    expect(response_body).toBe(`\uFFFD${'ß'.repeat(1_023)}`);
  });
});

describe('GET /webhooks/{id}/deliveries', () => {
  it('filters by event and by success, and paginates', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.behave(({ body }) => ({ status: body.includes('"name":"1"') ? 410 : 200 }));
    await person.api.post(`/webhooks/${id}/test`);
    await queueEvents(app, id, 1);
    await settled(person, id);
    const kinds = async (query: string) => (await deliveriesOf(person, id, query)).map(({ event }) => event);
    expect(await kinds('')).toEqual(['agent.created', 'webhook.test']);
    expect(await kinds('&event=webhook.test')).toEqual(['webhook.test']);
    expect(await kinds('&event=agent.deleted')).toEqual([]);
    expect(await kinds('&success=true')).toEqual(['webhook.test']);
    expect(await kinds('&success=false')).toEqual(['agent.created']);
    expect(await kinds('&success=false&event=webhook.test')).toEqual([]);
    expect(await kinds('&success=&event=')).toHaveLength(2);
    const [{ created_at: newer }, { created_at: older }] = await deliveriesOf(person, id, '');
    expect(await kinds(`&since=${newer}`)).toEqual(['agent.created']);
    expect(await kinds(`&until=${newer}`)).toEqual(['webhook.test']);
    expect(await kinds(`&since=${older}&until=${newer}`)).toEqual(['webhook.test']);
    expect(await kinds(`&since=${older}`)).toHaveLength(2);
    const page = await person.api.get(`/webhooks/${id}/deliveries/?limit=1&include_total=true`);
    expect(page.headers.get('x-total-count')).toBe('2');
    expect(page.headers.get('link')).toContain(`before=${page.body[0].id}`);
    for (const query of [
      'event=agent.exploded',
      'success=maybe',
      'limit=501',
      'skip=-1',
      'since=yesterday',
    ]) {
      expect((await person.api.get(`/webhooks/${id}/deliveries?${query}`)).status).toBe(422);
    }
  });
});

describe('POST /webhooks/{id}/test', () => {
  it("sends one message at once and returns the endpoint's reply", async () => {
    const { id, secret } = await createWebhook(person, receiver.url, {
      events: ['agent.deleted'],
      is_active: false,
    });
    receiver.answer(204);
    const reply = await person.api.post(`/webhooks/${id}/test/`);
    expect(reply.status).toBe(200);
    const [delivery] = await deliveriesOf(person, id);
    expect(reply.body).toEqual({
      status: 'test_delivered',
      message: 'The endpoint answered 204',
      delivery_id: delivery.id,
      status_code: 204,
    });
    const entries = (await person.api.get(`/audit?action=webhook.test&target_id=${id}`)).body;
    expect(entries.map(({ details }: any) => details)).toEqual([{ delivery_id: delivery.id }]);
    const [message] = receiver.received;
    expect(new StandardWebhook(secret).verify(message!.body, message!.headers)).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: id },
    });
    expect(delivery).toMatchObject({ event: 'webhook.test', status: 'succeeded', attempts: 1 });
  });

  it('returns 502 with the error, stores the delivery, and does not retry', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(500, { body: 'oops' });
    const reply = await person.api.post(`/webhooks/${id}/test`);
    const [delivery] = await deliveriesOf(person, id);
    expect(reply.status).toBe(502);
    expect(reply.body).toMatchObject({ error: 'Bad Gateway', statusCode: 502 });
    expect(reply.body.message).toBe(`The endpoint answered 500 (delivery ${delivery.id})`);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempts: 1,
      response_body: 'oops',
      next_attempt_at: null,
    });
  });

  it('returns 502 when the endpoint does not answer at all', async () => {
    // The discard port: one that was just given up may soon be another person's.
    const { id } = await createWebhook(person, 'http://127.0.0.1:9/');
    const reply = await person.api.post(`/webhooks/${id}/test`);
    expect(reply.status).toBe(502);
    expect(reply.body.message).toMatch(/^The connection was refused/);
  });

  it('does not change the health of the webhook', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.answer(410);
    expect((await person.api.post(`/webhooks/${id}/test`)).status).toBe(502);
    expect((await person.api.get(`/webhooks/${id}`)).body.is_active).toBe(true);
    const [row] = await app.database.query('SELECT failing_since FROM webhooks WHERE id = $1', [id]);
    expect(row).toEqual({ failing_since: null });
  });

  it('is limited to three concurrent tests', async () => {
    const { id } = await createWebhook(person, receiver.url);
    receiver.hang();
    const tests = [1, 2, 3].map(() => person.api.post(`/webhooks/${id}/test`));
    await until(() => receiver.hangingCount === 3);
    const fourth = await person.api.post(`/webhooks/${id}/test`);
    expect(fourth.status).toBe(429);
    expect(fourth.headers.get('retry-after')).toBe('5');
    receiver.breakOff();
    for (const reply of await Promise.all(tests)) expect(reply.status).toBe(502);
    receiver.answer(200);
    expect((await person.api.post(`/webhooks/${id}/test`)).status).toBe(200);
  });
});
