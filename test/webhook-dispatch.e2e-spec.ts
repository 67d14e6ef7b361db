import { jest } from '@jest/globals';
import { WebhookDispatcherService } from '../src/webhooks/webhook-dispatcher.service.js';
import { createAgent } from './builders/agents.js';
import { type Person, registerPerson, removeEverybody } from './builders/people.js';
import {
  createWebhook,
  deliveriesOf,
  makeDue,
  queueEvents,
  settled,
  type TestWebhook,
  WEBHOOK_SETTINGS,
} from './builders/webhooks.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

/** Hundreds of messages in a test: a busy machine takes tens of milliseconds for one. */
jest.setTimeout(90_000);

let database: TestDatabase;
let app: TestApp;
let person: Person;
let receiver: WebhookReceiver;
let webhook: TestWebhook;

const start = (settings: Record<string, string> = {}) =>
  startTestApp({ database, settings: { ...WEBHOOK_SETTINGS, ...settings } });

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Starts the instance of a test, and registers a person with an endpoint. */
async function open(settings: Record<string, string> = {}): Promise<void> {
  app = await start(settings);
  person = await registerPerson(app);
  receiver = await WebhookReceiver.start();
  webhook = await createWebhook(person, receiver.url);
}

afterEach(async () => {
  await receiver.close();
  await app.close();
  await expectCleanAudit(database);
  // the instances of the next test would send what is left
  await removeEverybody({ database });
});

const idsOf = (receivers: WebhookReceiver[]) =>
  receivers.flatMap(({ received }) => received.map(({ headers }) => headers['webhook-id']));

describe('The lease of a message', () => {
  it('makes the message due again with the same id when it ends without a result', async () => {
    await open();
    receiver.behave(() => (receiver.received.length === 1 ? 'hang' : { status: 200 }));
    await queueEvents(app, webhook.id, 1);
    await until(() => receiver.hangingCount === 1);
    // As if the instance that holds it had been killed: it never records anything, and its time is over.
    await makeDue(app, webhook.id);
    const [delivery] = await until(async () => {
      const deliveries = await deliveriesOf(person, webhook.id);
      return deliveries[0].status === 'succeeded' && deliveries;
    });
    expect(delivery.attempts).toBe(2);
    expect(new Set(idsOf([receiver]))).toEqual(new Set([delivery.id]));
    // The late result of the first attempt changes nothing.
    receiver.breakOff();
    await until(() => receiver.hangingCount === 0);
    await queueEvents(app, webhook.id, 1);
    await settled(person, webhook.id);
    const [, first] = await deliveriesOf(person, webhook.id);
    expect(first).toEqual(delivery);
  });

  it('is released by an instance that shuts down during an attempt', async () => {
    await open({ DRAIN_TIMEOUT_SECONDS: '0' });
    receiver.hang();
    await queueEvents(app, webhook.id, 1);
    await until(() => receiver.hangingCount === 1);
    await app.close();
    const [row] = await database.query(
      'SELECT is_leased, status, next_attempt_at <= now() AS due FROM webhook_deliveries',
    );
    expect(row).toEqual({ is_leased: false, status: 'pending', due: true });
    receiver.answer(200);
    app = await start();
    await until(() => receiver.received.length === 2);
    const [first, second] = idsOf([receiver]);
    expect(second).toBe(first);
  });

  it('delays the shutdown of its instance while the receiver still works', async () => {
    await open({ DRAIN_TIMEOUT_SECONDS: '600' });
    receiver.hang();
    await queueEvents(app, webhook.id, 1);
    await until(() => receiver.hangingCount === 1);
    let isClosed = false;
    const dispatcher = app.app.get(WebhookDispatcherService);
    const closing = app.close().then(() => (isClosed = true));
    await until(() => dispatcher['stopping']);
    await dispatcher['running'];
    expect([isClosed, receiver.hangingCount]).toEqual([false, 1]);
    receiver.release({ status: 200 });
    await closing;
    const [row] = await database.query('SELECT status FROM webhook_deliveries');
    expect(row).toEqual({ status: 'succeeded' });
    app = await start();
  });
});

describe('Two instances', () => {
  it('send each message once', async () => {
    await open();
    const other = await start();
    try {
      const receivers = [receiver, await WebhookReceiver.start(), await WebhookReceiver.start()];
      const webhooks = [webhook];
      for (const { url } of receivers.slice(1)) webhooks.push(await createWebhook(person, url));
      for (const { id } of webhooks) await queueEvents(app, id, 100);
      for (const { id } of webhooks) {
        for (const delivery of await settled(person, id)) {
          expect(delivery).toMatchObject({ status: 'succeeded', attempts: 1 });
        }
      }
      const ids = idsOf(receivers);
      expect(ids).toHaveLength(300);
      expect(new Set(ids).size).toBe(300);
      for (const one of receivers.slice(1)) await one.close();
    } finally {
      await other.close();
    }
  });

  it('send the messages that the other instance created', async () => {
    await open();
    const other = await start();
    await app.close();
    app = other;
    await queueEvents(other, webhook.id, 1);
    await until(() => receiver.received.length === 1);
  });
});

describe('A backlog of more messages than slots', () => {
  it('is sent without waiting for the next poll', async () => {
    await open({ WEBHOOK_CONCURRENCY: '20', WEBHOOK_POLL_INTERVAL_MS: '60000' });
    const webhooks = [webhook];
    for (let count = 0; count < 29; count++) webhooks.push(await createWebhook(person, receiver.url));
    for (const { id } of webhooks) await queueEvents(app, id, 10);
    // The service finds deliveries queued by SQL with its own next event.
    await createAgent(app, person);
    await until(() => receiver.received.length === 30 * 11, 60_000);
    expect(new Set(idsOf([receiver])).size).toBe(30 * 11);
  });
});

describe('An endpoint that hangs', () => {
  it('does not delay another endpoint, with a thousand events', async () => {
    await open();
    receiver.hang();
    await queueEvents(app, webhook.id, 1_000);
    await until(() => receiver.hangingCount > 0);
    const others = [await WebhookReceiver.start(), await WebhookReceiver.start()];
    for (const other of others) {
      const { id } = await createWebhook(person, other.url);
      await queueEvents(app, id, 50);
      await settled(person, id);
      expect(other.received).toHaveLength(50);
    }
    // All of that while the first one still hangs, with as few attempts as an unknown endpoint gets.
    expect(receiver.hangingCount).toBe(2);
    expect(receiver.received).toHaveLength(2);
    for (const other of others) await other.close();
  });

  it('does not delay another endpoint when more endpoints hang than there are slots', async () => {
    await open({ WEBHOOK_CONCURRENCY: '4', WEBHOOK_TIMEOUT_SECONDS: '1' });
    receiver.hang();
    for (let count = 0; count < 6; count++) {
      const { id } = await createWebhook(person, receiver.url);
      await queueEvents(app, id, 50);
    }
    await until(() => receiver.hangingCount === 2);
    const other = await WebhookReceiver.start();
    const { id } = await createWebhook(person, other.url);
    await queueEvents(app, id, 20);
    // The webhook on trial is chosen at random among seven, about twice a second.
    await until(() => other.received.length === 20, 60_000);
    expect(receiver.received.length).toBeLessThan(300);
    await other.close();
  });
});
