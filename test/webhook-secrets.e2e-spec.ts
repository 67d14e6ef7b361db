import { Webhook } from 'standardwebhooks';
import { type Person, registerPerson, removeEverybody } from './builders/people.js';
import { attempted, createWebhook, queueEvents, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { resealSecrets } from './harness/reseal-secrets.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';
import { type ReceivedMessage, WebhookReceiver } from './harness/webhook-receiver.js';

const KEY = 'a key for tests, of more than thirty-two bytes';
const NEXT_KEY = 'the next key for tests, of more than thirty-two bytes';

let database: TestDatabase;
let app: TestApp;
let person: Person;
let receiver: WebhookReceiver;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Starts the instance of a test, and registers a person. */
async function open(settings: Record<string, string> = {}): Promise<void> {
  app = await startTestApp({ database, settings: { ...WEBHOOK_SETTINGS, ...settings } });
  person = await registerPerson(app);
  receiver = await WebhookReceiver.start();
}

afterEach(async () => {
  await receiver.close();
  await app.close();
  await removeEverybody({ database });
  await database.query('DELETE FROM sealing_keys');
});

async function restart(settings: Record<string, string>): Promise<void> {
  await app.close();
  app = await startTestApp({ database, settings: { ...WEBHOOK_SETTINGS, ...settings } });
  person = { ...person, api: app.api.as(person.accessToken) };
}

/** Next message that the receiver gets. */
async function nextMessage(webhookId: string): Promise<ReceivedMessage> {
  const before = receiver.received.length;
  expect((await person.api.post(`/webhooks/${webhookId}/test`)).status).toBe(200);
  return receiver.received[before]!;
}

function isSignedWith(secret: string, message: ReceivedMessage): boolean {
  try {
    new Webhook(secret).verify(message.body, message.headers);
    return true;
  } catch {
    return false;
  }
}

const keptSecrets = () =>
  database.query<{ secret: string; previous_secret: string | null }>(
    'SELECT secret, previous_secret FROM webhooks ORDER BY id',
  );

describe('POST /webhooks/{id}/rotate-secret', () => {
  it('replaces the secret, and signs with the old and the new one for 24 hours', async () => {
    await open();
    const { id, secret } = await createWebhook(person, receiver.url);
    const reply = await person.api.post(`/webhooks/${id}/rotate-secret/`);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id, url: receiver.url, secret: expect.stringMatching(/^whsec_/) });
    expect(reply.body.secret).not.toBe(secret);
    const [row] = await database.query(
      `SELECT previous_secret_until BETWEEN now() + interval '23 hours' AND now() + interval '24 hours' AS a_day
       FROM webhooks`,
    );
    expect(row).toEqual({ a_day: true });
    const during = await nextMessage(id);
    expect(during.headers['webhook-signature']!.split(' ')).toHaveLength(2);
    expect([secret, reply.body.secret].map((known) => isSignedWith(known, during))).toEqual([true, true]);
    await database.query('UPDATE webhooks SET previous_secret_until = now()');
    const after = await nextMessage(id);
    expect([secret, reply.body.secret].map((known) => isSignedWith(known, after))).toEqual([false, true]);
  });

  it("accepts the owner's own secret, as PATCH does", async () => {
    await open();
    const { id, secret } = await createWebhook(person, receiver.url);
    const [second, third] = [Buffer.alloc(24, 2), Buffer.alloc(64, 3)].map(
      (bytes) => `whsec_${bytes.toString('base64')}`,
    );
    const reply = await person.api.post(`/webhooks/${id}/rotate-secret`, { secret: second });
    expect(reply.body.secret).toBe(second);
    expect((await person.api.patch(`/webhooks/${id}`, { secret: third })).body).not.toHaveProperty('secret');
    const message = await nextMessage(id);
    expect([secret, second!, third!].map((known) => isSignedWith(known, message))).toEqual([
      false,
      true,
      true,
    ]);
    expect((await person.api.post(`/webhooks/${id}/rotate-secret`, { secret: 'guess' })).status).toBe(422);
  });
});

describe('A signing secret that is given again', () => {
  it.each([
    ['PATCH /webhooks/{id}', (id: string, secret: string) => person.api.patch(`/webhooks/${id}`, { secret })],
    [
      'POST /webhooks/{id}/rotate-secret',
      (id: string, secret: string) => person.api.post(`/webhooks/${id}/rotate-secret`, { secret }),
    ],
  ])('changes nothing at %s: the one before it goes on signing', async (_, give) => {
    await open({ WEBHOOK_SECRET_KEY: KEY });
    const { id, secret: first } = await createWebhook(person, receiver.url);
    const second = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
    for (let times = 0; times < 2; times++) expect((await give(id, second)).status).toBe(200);
    const message = await nextMessage(id);
    expect([first, second].map((known) => isSignedWith(known, message))).toEqual([true, true]);
  });
});

describe('Stored signing secrets', () => {
  it('are encrypted once they are sealed, including older ones', async () => {
    await open();
    const old = await createWebhook(person, receiver.url);
    expect(await keptSecrets()).toEqual([{ secret: old.secret, previous_secret: null }]);
    await restart({ WEBHOOK_SECRET_KEY: KEY });
    const added = await createWebhook(person, receiver.url);
    await resealSecrets(database, { WEBHOOK_SECRET_KEY: KEY });
    const rows = await keptSecrets();
    expect(rows.every(({ secret }) => secret.startsWith('sealed:'))).toBe(true);
    expect(JSON.stringify(rows)).not.toContain('whsec_');
    for (const { id, secret } of [old, added]) expect(isSignedWith(secret, await nextMessage(id))).toBe(true);
  });

  it('stay readable after the key is replaced twice', async () => {
    await open({ WEBHOOK_SECRET_KEY: KEY });
    const { id, secret } = await createWebhook(person, receiver.url);
    const rotated = (await person.api.post(`/webhooks/${id}/rotate-secret`)).body.secret;
    const [before] = await keptSecrets();
    const both = { WEBHOOK_SECRET_KEY: NEXT_KEY, WEBHOOK_SECRET_KEY_PREVIOUS: KEY };
    await restart(both);
    expect((await keptSecrets())[0]).toEqual(before);
    await resealSecrets(database, both);
    expect((await keptSecrets())[0]!.secret).not.toBe(before!.secret);
    await restart({ WEBHOOK_SECRET_KEY: NEXT_KEY });
    const message = await nextMessage(id);
    expect([secret, rotated].map((known) => isSignedWith(known, message))).toEqual([true, true]);
  });

  it('fail attempts with a message to the owner once their key is given up, until they are rotated', async () => {
    await open({ WEBHOOK_SECRET_KEY: KEY });
    const { id } = await createWebhook(person, receiver.url);
    const lacking = { WEBHOOK_SECRET_KEY: NEXT_KEY };
    await restart(lacking);
    await queueEvents(app, id, 1);
    expect((await app.api.get('/ready')).status).toBe(503);
    expect(await resealSecrets(database, lacking, '--lost')).toMatchObject({ code: 0 });
    expect(await attempted(app, person, id)).toMatchObject({
      status: 'pending',
      error_message: 'The signing secret was sealed under a key that is gone: rotate it',
    });
    const { secret } = (await person.api.post(`/webhooks/${id}/rotate-secret`)).body;
    const message = await nextMessage(id);
    expect(message.headers['webhook-signature']!.split(' ')).toHaveLength(1);
    expect(isSignedWith(secret, message)).toBe(true);
  });

  it('fail only the attempt when they are malformed', async () => {
    await open();
    const { id } = await createWebhook(person, receiver.url);
    await database.query(`UPDATE webhooks SET secret = 'whsec_'`);
    await queueEvents(app, id, 5);
    await until(async () => {
      const rows = await database.query('SELECT FROM webhook_deliveries WHERE failures = 0');
      return rows.length === 0;
    });
    expect(await attempted(app, person, id)).toMatchObject({
      error_message: 'The message could not be created',
    });
    await person.api.post(`/webhooks/${id}/rotate-secret`);
    await database.query('UPDATE webhooks SET previous_secret_until = now()');
    expect((await nextMessage(id)).headers['webhook-id']).toBeDefined();
  });
});
