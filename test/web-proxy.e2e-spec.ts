import { randomBytes } from 'node:crypto';
import { GOOD_PASSWORD } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { ServiceRelay } from './harness/service-relay.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { asApiReply, startTestWeb, type TestWeb, type WebClient } from './harness/test-web.js';

let app: TestApp;
let relay: ServiceRelay;
let web: TestWeb;
let browser: WebClient;

beforeAll(async () => {
  app = await startTestApp();
  relay = await ServiceRelay.start(app.url);
  web = await startTestWeb({ SERVICE_URL: relay.url });
  browser = web.browser();
  await browser.post('/api/auth/register', { email: 'ada@example.com', password: GOOD_PASSWORD });
});
beforeEach(() => relay.reset());
afterAll(async () => {
  await web.close();
  await relay.close();
  await app.close();
});

const newName = () => `agent-${randomBytes(6).toString('hex')}`;

describe('A request through the proxy', () => {
  it('sends the necessary headers and no others', async () => {
    await browser.request('GET', '/api/dashboard/agents?limit=1&q=%20', {
      headers: {
        authorization: 'Bearer of-a-page',
        'x-api-key': 'of-a-page',
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-host': 'evil.example.com',
        'x-request-id': 'chosen-by-the-page',
        'idempotency-key': 'a-key',
        'accept-language': 'de',
      },
    });
    const [{ headers, path }] = relay.seen as [(typeof relay.seen)[0]];
    expect(path).toBe('/agents?limit=1&q=%20');
    expect(headers).toMatchObject({
      authorization: expect.stringMatching(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/),
      'x-forwarded-for': '127.0.0.1',
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'idempotency-key': 'a-key',
    });
    for (const name of ['cookie', 'x-api-key', 'x-forwarded-host', 'accept-language', 'origin']) {
      expect([name, headers[name]]).toEqual([name, undefined]);
    }
  });

  it('requires no session on public routes, and sends none to them', async () => {
    for (const client of [web.browser(), browser]) {
      const health = await client.get('/api/dashboard/health');
      expect(health.body).toMatchObject({ status: 'healthy', database: 'ready' });
      expect((await client.post('/api/newsletter', { email: 'ada@example.com' })).status).toBe(200);
      expect((await client.post('/api/leads', { email: 'ada@example.com' })).status).toBe(201);
    }
    for (const { headers } of relay.seen) expect(headers.authorization).toBeUndefined();
  });

  it("returns Links with the dashboard's own paths", async () => {
    for (let made = 0; made < 3; made++) await browser.post('/api/dashboard/agents', { name: newName() });
    const first = await browser.get('/api/dashboard/agents?limit=2&include_total=true');
    expect(Number(first.headers['x-total-count'])).toBeGreaterThan(2);
    const link = String(first.headers.link);
    expect(link).toMatch(
      /^<\/api\/dashboard\/agents\?limit=2&include_total=true&before=[0-9a-f-]{36}>; rel="next"$/,
    );
    const second = await browser.get(/<(.+)>/.exec(link)![1]!);
    expect(second.status).toBe(200);
    expect(second.body.map(({ id }: any) => id)).not.toContain(first.body[0].id);
  });

  it('takes effect once under an Idempotency-Key', async () => {
    const key = { 'idempotency-key': newName() };
    const body = { name: newName() };
    const [one, other] = [
      await browser.post('/api/dashboard/agents', body, key),
      await browser.post('/api/dashboard/agents', body, key),
    ];
    expect(other.body).toEqual(one.body);
    expect(other.headers['idempotency-replayed']).toBe('true');
  });

  it('works for the whole life of an agent', async () => {
    const { body: agent } = await browser.post('/api/dashboard/agents', { name: newName() });
    const deployed = await browser.post(`/api/dashboard/agents/${agent.id}/deploy`);
    expect(deployed.body).toMatchObject({ status: 'deploying', agent_id: agent.id });
    const scale = await browser.post(`/api/dashboard/deployments/${deployed.body.id}/scale`, { replicas: 2 });
    expectError(asApiReply(scale), 400, 'Can only scale running deployments');
    expect((await browser.get(`/api/dashboard/deployments/${deployed.body.id}/events`)).body.total).toBe(1);
    const { status, text } = await browser.request('DELETE', `/api/dashboard/agents/${agent.id}`);
    expect([status, text]).toEqual([204, '']);
    expectError(asApiReply(await browser.get(`/api/dashboard/agents/${agent.id}`)), 404, 'Agent not found');
  });

  it('accepts a trailing slash, as the service does', async () => {
    expect((await browser.get('/api/webhooks/?limit=1')).status).toBe(200);
  });

  it('has a reply that no cache keeps, as each of its refusals', async () => {
    for (const path of ['/api/auth/me', '/api/dashboard/agents', '/api/nothing']) {
      const { headers } = await browser.get(path);
      expect([path, headers['cache-control']]).toEqual([path, 'no-store']);
    }
  });

  it('returns no cookie of the service', async () => {
    relay.decide(() => ({
      status: 200,
      headers: {
        'set-cookie': 'a=b',
        'content-type': 'application/json',
        'x-powered-by': 'x',
        link: '<http://evil>',
      },
      body: '[]',
    }));
    const { headers } = await browser.get('/api/dashboard/agents');
    for (const name of ['set-cookie', 'x-powered-by', 'link'])
      expect([name, headers[name]]).toEqual([name, undefined]);
  });
});

describe('A request while the service is unreachable', () => {
  it('returns 502 in the form of every error, and keeps the session', async () => {
    const away = await startTestWeb({ SERVICE_URL: 'http://127.0.0.1:1' });
    try {
      const client = away.browser();
      const { port } = new URL(away.url);
      browser.jar.forEach((value, name) => client.jar.set(name.replace(/\d+$/, port), value));
      const had = client.cookies;
      for (const path of ['/api/auth/me', '/api/dashboard/health', '/api/dashboard/events/stream']) {
        const reply = await client.get(path, { headers: { 'x-request-id': 'mine' } });
        expectError(asApiReply(reply), 502, "The service can't be reached");
        expect(reply.body.request_id).not.toBe('mine');
      }
      expectError(asApiReply(await client.post('/api/auth/login', { email: 'a@b.co', password: 'x' })), 502);
      expect(client.cookies).toBe(had);
    } finally {
      await away.close();
    }
  });

  it('succeeds as soon as the service is reachable', async () => {
    relay.decide(() => 'hang-up');
    expectError(asApiReply(await browser.get('/api/auth/me')), 502);
    relay.reset();
    expect((await browser.get('/api/auth/me')).status).toBe(200);
  });
});
