import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer, getCACertificates, setDefaultCACertificates, type Server } from 'node:tls';
import { jest } from '@jest/globals';
import { NameResolver } from '../src/webhooks/name-resolver.js';
import { type Person, registerPerson } from './builders/people.js';
import { attempted, createWebhook, queueEvents, settled, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { ForwardProxy } from './harness/forward-proxy.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';
import { makeAuthority, makeServerCertificate } from './postgres/certificates.js';

/** Messages through a proxy that alone reaches the receivers: it leads each tunnel to one on this machine. */
const PUBLIC = '93.184.216.34';
const PUBLIC_V6 = '2606:2800:220:1:248:1893:25c8:1946';
const LOGIN = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
const usualAuthorities = getCACertificates('default');

let app: TestApp;
let person: Person;
let receiver: WebhookReceiver;
let terminator: Server;
let plain: ForwardProxy;
let secure: ForwardProxy;
let folder: string;
/** The names that clients of the receiver with TLS have asked for. */
const served: (string | false | null)[] = [];
let resolve: jest.SpiedFunction<NameResolver['resolve']>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-proxy-'));
  receiver = await WebhookReceiver.start();
  const authority = makeAuthority(folder, 'authority');
  const { certificate, key } = makeServerCertificate(folder, 'authority', 'hooks.example.com');
  setDefaultCACertificates([...usualAuthorities, readFileSync(authority, 'utf8')]);
  terminator = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (client) => {
    served.push(client.servername);
    const target = connect(receiver.port, '127.0.0.1');
    pipeline(client, target, () => undefined);
    pipeline(target, client, () => undefined);
  });
  await new Promise<void>((ready) => terminator.on('tlsClientError', () => {}).listen(0, '127.0.0.1', ready));
  plain = await ForwardProxy.open(receiver.port);
  secure = await ForwardProxy.open((terminator.address() as AddressInfo).port);
  app = await startTestApp({
    settings: {
      ...WEBHOOK_SETTINGS,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false',
      HTTP_PROXY: plain.url,
      HTTPS_PROXY: secure.url,
      NO_PROXY: 'direct.example.com',
    },
  });
  person = await registerPerson(app);
});

beforeEach(() => {
  for (const list of [plain.tunnels, secure.tunnels, receiver.received, served]) list.length = 0;
  plain.refuses(false);
  resolve = jest.spyOn(app.app.get(NameResolver), 'resolve').mockResolvedValue([PUBLIC]);
});

afterEach(() => jest.restoreAllMocks());

afterAll(async () => {
  await app.close();
  await Promise.all([plain.close(), secure.close(), receiver.close()]);
  terminator.close();
  setDefaultCACertificates(usualAuthorities);
  rmSync(folder, { recursive: true });
});

const test = (id: string) => person.api.post(`/webhooks/${id}/test`);

describe('A message through a proxy', () => {
  it('goes to the checked address, under its name, with the login of the proxy', async () => {
    const { id } = await createWebhook(person, 'http://hooks.example.com/hook');
    expect((await test(id)).status).toBe(200);
    expect(plain.tunnels).toEqual([`${PUBLIC}:80 ${LOGIN}`]);
    const [{ method, path, headers }] = receiver.received as [(typeof receiver.received)[0]];
    expect([method, path, headers.host]).toEqual(['POST', '/hook', 'hooks.example.com']);
    expect(headers).not.toHaveProperty('proxy-authorization');
  });

  it('keeps the name in TLS, whose certificate is checked for it', async () => {
    const { id } = await createWebhook(person, 'https://hooks.example.com/hook');
    expect((await test(id)).status).toBe(200);
    expect([secure.tunnels, plain.tunnels]).toEqual([[`${PUBLIC}:443 ${LOGIN}`], []]);
    expect([served, receiver.received.length]).toEqual([['hooks.example.com'], 1]);
    const { id: other } = await createWebhook(person, 'https://other.example.com/hook');
    expect((await test(other)).body.message).toMatch(/^The TLS handshake failed/);
    expect(receiver.received).toHaveLength(1);
  });

  it('goes to an address of version 6, and to the port of its target', async () => {
    resolve.mockResolvedValue([PUBLIC_V6]);
    const { id } = await createWebhook(person, 'http://hooks.example.com:8080/hook');
    expect((await test(id)).status).toBe(200);
    expect(plain.tunnels).toEqual([`[${PUBLIC_V6}]:8080 ${LOGIN}`]);
    const { id: literal } = await createWebhook(person, `http://${PUBLIC}/hook`);
    expect((await test(literal)).status).toBe(200);
    expect(plain.tunnels[1]).toBe(`${PUBLIC}:80 ${LOGIN}`);
  });

  it('is never sent to a private address, nor to a name that resolves to one', async () => {
    const { id } = await createWebhook(person, 'http://rebind.example.com/hook');
    for (const addresses of [['10.0.0.1'], [PUBLIC, '127.0.0.1'], ['169.254.169.254'], ['::ffff:10.0.0.1']]) {
      resolve.mockResolvedValue(addresses);
      const reply = await test(id);
      expect([reply.status, reply.body.message]).toEqual([
        502,
        expect.stringMatching(/^The target is not a/),
      ]);
    }
    const { id: literal } = await createWebhook(person, `http://${PUBLIC}/hook`);
    for (const host of ['10.0.0.1', '127.0.0.1', '[::1]', 'localhost', '169.254.169.254', '2130706433']) {
      await app.database.query('UPDATE webhooks SET url = $2 WHERE id = $1', [literal, `https://${host}/`]);
      const reply = await test(literal);
      expect([host, reply.status, reply.body.message]).toEqual([
        host,
        502,
        expect.stringMatching(/^The target is not a/),
      ]);
    }
    expect([plain.tunnels, secure.tunnels, receiver.received]).toEqual([[], [], []]);
    for (const webhook of [id, literal]) await person.api.delete(`/webhooks/${webhook}`);
  });

  it('is sent again when the proxy was away or refused it', async () => {
    plain.refuses(true);
    const { id } = await createWebhook(person, 'http://away.example.com/hook');
    await queueEvents(app, id, 1);
    const refused = await attempted(app, person, id);
    expect(refused).toMatchObject({
      status: 'pending',
      error_message: 'The proxy replied 403 to the request for the target',
    });
    expect(refused.next_attempt_at).not.toBeNull();
    const port = await plain.stop();
    await app.database.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1', [
      id,
    ]);
    expect(await attempted(app, person, id, 2)).toMatchObject({
      status: 'pending',
      error_message: "The proxy can't be reached (ECONNREFUSED)",
    });
    plain.refuses(false);
    await plain.start(port);
    await app.database.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1', [
      id,
    ]);
    expect(await settled(person, id)).toMatchObject([{ status: 'succeeded', attempts: 3 }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('is sent without the proxy to hosts in NO_PROXY', async () => {
    resolve.mockRejectedValue(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    const { id } = await createWebhook(person, 'http://direct.example.com/hook');
    expect((await test(id)).body.message).toMatch(/^The host name can't be resolved/);
    expect(plain.tunnels).toEqual([]);
    await person.api.delete(`/webhooks/${id}`);
  });
});
