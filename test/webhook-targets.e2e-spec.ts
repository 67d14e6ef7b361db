import { jest } from '@jest/globals';
import { NameResolver } from '../src/webhooks/name-resolver.js';
import { type Person, registerPerson } from './builders/people.js';
import { attempted, createWebhook, queueEvents, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

const PUBLIC = '93.184.216.34';
const PUBLIC_V6 = '2606:2800:220:1:248:1893:25c8:1946';

let app: TestApp;
let person: Person;
let receiver: WebhookReceiver;
let resolve: jest.SpiedFunction<NameResolver['resolve']>;

beforeAll(async () => {
  app = await startTestApp({ settings: { ...WEBHOOK_SETTINGS, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' } });
  person = await registerPerson(app);
});

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  resolve = jest.spyOn(app.app.get(NameResolver), 'resolve').mockResolvedValue([PUBLIC]);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await receiver.close();
});

afterAll(() => app.close());

/** Behind the service's back, as if it had been let through. */
const leadTo = (webhookId: string, url: string) =>
  app.database.query('UPDATE webhooks SET url = $2 WHERE id = $1', [webhookId, url]);

const tricks = [
  'http://127.0.0.1/',
  'http://localhost/',
  'http://localhost./',
  'http://anything.localhost/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://0/',
  'http://0.0.0.0/',
  'http://%31%32%37.0.0.1/',
  'http://１２７.0.0.1/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://postgres:5432/',
];

const metadata = [
  'http://[64:ff9b::127.0.0.1]/',
  'http://[::169.254.169.254]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://169.254.170.2/v2/credentials',
  'http://2852039166/latest/meta-data/',
  'http://100.100.100.200/latest/meta-data/',
  'http://168.63.129.16/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://Metadata.Google.Internal./computeMetadata/v1/',
  'http://metadata/computeMetadata/v1/',
];
const NO_METADATA = "url must not lead to a cloud's metadata service or a link-local address";

describe('A target that is not public', () => {
  it.each(tricks)('is refused when a webhook is created with it: %s', async (url) => {
    const { id } = await createWebhook(person, 'https://hooks.example.com/');
    for (const reply of [
      await person.api.post('/webhooks', { url }),
      await person.api.patch(`/webhooks/${id}`, { url }),
    ]) {
      expect(reply.status).toBe(422);
      expect(reply.body.message).toEqual(['url must lead to a public address']);
    }
    await person.api.delete(`/webhooks/${id}`);
  });

  it.each(metadata)('is refused when it is a metadata service: %s', async (url) => {
    const reply = await person.api.post('/webhooks', { url });
    expect([reply.status, reply.body.message]).toEqual([422, [NO_METADATA]]);
  });

  it.each([
    'http://hooks.example.com:25/',
    'https://hooks.example.com:22/',
    'http://hooks.example.com:6667/',
  ])('is refused when its port belongs to another protocol: %s', async (url) => {
    const reply = await person.api.post('/webhooks', { url });
    expect([reply.status, reply.body.message]).toEqual([
      422,
      [`url must not have the port ${new URL(url).port}, which belongs to another protocol`],
    ]);
  });

  it.each([
    ['one private', ['10.0.0.1']],
    ['a public and a private one', [PUBLIC, '127.0.0.1']],
    ['a public one and the metadata service', [PUBLIC_V6, '169.254.169.254']],
    ['an IPv4-mapped one', ['::ffff:127.0.0.1']],
  ])('is refused when its name resolves to %s', async (_, addresses) => {
    resolve.mockResolvedValue(addresses);
    const reply = await person.api.post('/webhooks', { url: 'https://127.0.0.1.nip.io/' });
    expect(reply.status).toBe(422);
    expect(reply.body.message).toEqual(['url must lead to a public address']);
  });

  it.each([
    (port: number) => `http://127.0.0.1:${port}/hook`,
    (port: number) => `http://localhost:${port}/hook`,
    (port: number) => `http://2130706433:${port}/hook`,
    (port: number) => `http://[::ffff:127.0.0.1]:${port}/hook`,
    (port: number) => `http://0.0.0.0:${port}/hook`,
  ])('is not connected to when it is stored in the database: %s', async (urlOf) => {
    const { id } = await createWebhook(person, 'https://hooks.example.com/');
    await leadTo(id, urlOf(receiver.port));
    const reply = await person.api.post(`/webhooks/${id}/test`);
    expect(reply.status).toBe(502);
    expect(reply.body.message).toMatch(/^The target is not a public address/);
    expect(receiver.received).toEqual([]);
    await person.api.delete(`/webhooks/${id}`);
  });

  it('is not connected to when its name resolves to it after the webhook was created', async () => {
    const { id } = await createWebhook(person, `http://rebind.example.com:${receiver.port}/hook`);
    resolve.mockResolvedValue(['127.0.0.1']);
    expect((await person.api.post(`/webhooks/${id}/test`)).status).toBe(502);
    await queueEvents(app, id, 1);
    expect(await attempted(app, person, id)).toMatchObject({
      status: 'pending',
      status_code: null,
      error_message: 'The target is not a public address',
    });
    expect(receiver.received).toEqual([]);
    // Its next attempt would meet the real name servers.
    await person.api.delete(`/webhooks/${id}`);
  });
});

describe('With private targets allowed', () => {
  let other: TestApp;

  beforeAll(async () => {
    other = await startTestApp({ database: app.database, settings: WEBHOOK_SETTINGS });
  });

  afterAll(() => other.close());

  it('a metadata service is refused when a webhook is created and when a name resolves to it later', async () => {
    const api = other.api.as(person.accessToken);
    for (const url of metadata) {
      const reply = await api.post('/webhooks', { url });
      expect([url, reply.status, reply.body.message]).toEqual([url, 422, [NO_METADATA]]);
    }
    const names = jest.spyOn(other.app.get(NameResolver), 'resolve');
    const { id } = await createWebhook({ ...person, api }, 'http://box.home.arpa/');
    for (const addresses of [['169.254.169.254'], ['10.0.0.1', 'fd00:ec2::254'], ['100.100.100.200']]) {
      names.mockResolvedValue(addresses);
      const reply = await api.post(`/webhooks/${id}/test`);
      expect([reply.status, reply.body.message]).toEqual([502, expect.stringMatching(/^The target is not/)]);
    }
    await leadTo(id, 'http://169.254.169.254/');
    expect((await api.post(`/webhooks/${id}/test`)).status).toBe(502);
    await api.delete(`/webhooks/${id}`);
  });
});

describe('Names whose server never answers', () => {
  it('hold no database connection, are limited to five at once for one user, and delay no other sender', async () => {
    const other = await registerPerson(app);
    let letGo = () => {};
    const silence = new Promise<string[]>((answer) => (letGo = () => answer([PUBLIC])));
    resolve.mockReturnValue(silence);
    const create = (caller: Person, key: string) =>
      caller.api.post(
        '/webhooks',
        { url: `https://${key}.example.com/` },
        { headers: { 'idempotency-key': key } },
      );
    const slow = Array.from({ length: 5 }, (_, index) => create(person, `slow-${index}`));
    await until(() => resolve.mock.calls.length === 5);
    const refused = await Promise.all(
      Array.from({ length: 35 }, (_, index) => create(person, `more-${index}`)),
    );
    for (const { status, headers } of refused) {
      expect([status, headers.get('retry-after')]).toEqual([429, '3']);
    }
    const idle = await app.database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    expect(idle).toEqual([]);
    expect((await other.api.get('/webhooks')).status).toBe(200);
    const others = create(other, 'another-user');
    await until(() => resolve.mock.calls.length === 6);
    letGo();
    for (const { status } of await Promise.all([...slow, others])) expect(status).toBe(201);
    expect((await create(person, 'after-all')).status).toBe(201);
  });
});

describe('A name that does not resolve', () => {
  it('is accepted when the webhook is created, and fails the attempt', async () => {
    resolve.mockRejectedValue(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    const { id } = await createWebhook(person, 'https://not-yet.example.com/');
    const reply = await person.api.post(`/webhooks/${id}/test`);
    expect(reply.status).toBe(502);
    expect(reply.body.message).toMatch(/^The host name can't be resolved/);
  });
});
