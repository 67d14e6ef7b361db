import { randomBytes } from 'node:crypto';
import { PASSABLE } from '../src/web/proxy/passable-routes.js';
import { GOOD_PASSWORD } from './builders/people.js';
import type { ApiClient } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { ServiceRelay } from './harness/service-relay.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { asApiReply, startTestWeb, type TestWeb, type WebClient } from './harness/test-web.js';

const ID = '01920000-0000-7000-8000-000000000000';
let app: TestApp;
let relay: ServiceRelay;
let web: TestWeb;
let browser: WebClient;
/** The same person, asking the service itself. */
let direct: ApiClient;

beforeAll(async () => {
  app = await startTestApp();
  relay = await ServiceRelay.start(app.url);
  web = await startTestWeb({ SERVICE_URL: relay.url });
  browser = web.browser();
  await browser.post('/api/auth/register', { email: 'ada@example.com', password: GOOD_PASSWORD });
  const [access] = [...browser.jar.values()];
  direct = app.api.as(access!);
});
beforeEach(() => relay.reset());
afterAll(async () => {
  await web.close();
  await relay.close();
  await app.close();
});

const newName = () => `agent-${randomBytes(6).toString('hex')}`;
const withIds = (path: string) => path.replaceAll(/\{\w+\}/g, ID);

describe('The list of proxied routes', () => {
  const passed = PASSABLE.flatMap(({ path, service, methods }) =>
    Object.entries(methods)
      .filter(([, passage]) => passage === 'session' || passage === 'open')
      .map(([method]) => [method, path, service] as const),
  );

  it('contains exactly these routes', () => {
    expect(PASSABLE.map(({ path, methods }) => `${Object.keys(methods).join()} ${path}`))
      .toMatchInlineSnapshot(`
     [
       "POST /api/auth/login",
       "POST /api/auth/register",
       "POST /api/auth/logout",
       "GET /api/auth/methods",
       "POST /api/auth/sso",
       "POST /api/auth/sso/tokens",
       "GET /api/auth/me",
       "POST /api/auth/password",
       "POST /api/auth/password-reset",
       "GET,DELETE /api/auth/sessions",
       "DELETE /api/auth/sessions/{session_id}",
       "GET /api/dashboard/overview",
       "GET,POST /api/dashboard/agents",
       "GET,PATCH,DELETE /api/dashboard/agents/{agent_id}",
       "GET /api/dashboard/agents/{agent_id}/configs",
       "POST /api/dashboard/agents/{agent_id}/deploy",
       "POST /api/dashboard/agents/{agent_id}/stop",
       "GET /api/dashboard/agents/{agent_id}/logs",
       "GET /api/dashboard/agents/{agent_id}/logs/stream",
       "GET /api/dashboard/agents/{agent_id}/metrics",
       "GET /api/dashboard/agents/{agent_id}/metrics/summary",
       "GET /api/dashboard/logs",
       "GET /api/dashboard/logs/stream",
       "GET,POST /api/dashboard/deployments",
       "GET,DELETE /api/dashboard/deployments/{deployment_id}",
       "POST /api/dashboard/deployments/{deployment_id}/scale",
       "POST /api/dashboard/deployments/{deployment_id}/stop",
       "POST /api/dashboard/deployments/{deployment_id}/restart",
       "GET /api/dashboard/deployments/{deployment_id}/events",
       "GET /api/dashboard/deployments/{deployment_id}/events/stream",
       "GET /api/dashboard/deployments/{deployment_id}/commands",
       "GET /api/dashboard/deployments/{deployment_id}/logs",
       "GET /api/dashboard/deployments/{deployment_id}/metrics",
       "GET /api/dashboard/deployments/{deployment_id}/metrics/summary",
       "GET /api/dashboard/events",
       "GET /api/dashboard/events/stream",
       "GET /api/dashboard/audit",
       "GET,POST /api/dashboard/users",
       "PATCH /api/dashboard/users/{user_id}",
       "POST /api/dashboard/users/{user_id}/password-reset",
       "GET /api/dashboard/health",
       "GET,POST /api/api-keys",
       "DELETE /api/api-keys/{key_id}",
       "POST /api/api-keys/{key_id}/rotate",
       "GET,POST /api/webhooks",
       "GET,PATCH,DELETE /api/webhooks/{webhook_id}",
       "POST /api/webhooks/{webhook_id}/test",
       "GET /api/webhooks/{webhook_id}/deliveries",
       "POST /api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
       "POST /api/webhooks/{webhook_id}/rotate-secret",
       "POST /api/webhooks/{webhook_id}/recover",
       "GET,POST /api/leads",
       "GET /api/leads/{lead_id}",
       "GET,POST /api/newsletter",
     ]
    `);
  });

  it.each(passed)('lets %s %s reach the service and returns its reply', async (method, path, service) => {
    const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
    const reply = await browser.request(method, withIds(path), { body });
    expect(relay.seen.map((it) => [it.method, it.path])).toEqual([[method, withIds(service)]]);
    const expected = await direct.request(method, withIds(service), { body });
    const told = asApiReply(reply);
    // of two agents made the same way, everything is of the same kind and different
    expect([told.status, Object.keys(told.body)]).toEqual([expected.status, Object.keys(expected.body)]);
    if (expected.status >= 400) expectError(told, expected.status, expected.body.detail);
  });

  it.each([
    '/api',
    '/api/',
    '/api/agents',
    '/api/auth',
    '/api/auth/refresh',
    '/api/dashboard',
    '/api/dashboard/ready',
    '/api/dashboard/auth/me',
    '/api/openapi.json',
    // what runtimes call
    '/api/dashboard/agents/register',
    '/api/dashboard/agents/heartbeat',
    '/api/dashboard/agents/commands',
    '/api/dashboard/agents/commands/acknowledge',
    '/api/dashboard/agents/logs',
    '/api/dashboard/agents/metrics',
    `/api/dashboard/agents/${ID}/status`,
    '/api/webhooks/agent-status',
    '/api/webhooks/deployment',
    '/api/webhooks/metrics',
    // what only looks like something on the list
    '/api/dashboard/agents/not-a-uuid',
    `/api/dashboard/agents/${ID}x`,
    `/api/dashboard/agents/${ID}/../commands`,
    `/api/dashboard/agents/${ID}%2f..%2fcommands`,
    `/api/dashboard/agents/${ID}/%2e%2e/commands`,
    `/api/dashboard/agents/${ID}\\..\\commands`,
    '/api/dashboard/agents/%63ommands',
    '/api/dashboard/../auth/refresh',
    '/api/dashboard/agents//',
    '/api//dashboard/agents',
    '//api/dashboard/agents',
    '/API/dashboard/agents',
    '/api/dashboard/agents;x=1',
    '/api/dashboard/agents%00',
    '/api/dashboard/agents%3Flimit=1',
    '/api/dashboard/constructor',
    'http://127.0.0.1:1/api/dashboard/agents',
  ])('contains no other route: %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const reply = await browser.request(method, path, { body: method === 'POST' ? {} : undefined });
      expectError(asApiReply(reply), 404);
    }
    expect(relay.seen).toEqual([]);
  });

  it('names the allowed methods of a path in a 405', async () => {
    for (const [method, path, allowed] of [
      ['PUT', '/api/dashboard/agents', 'GET, POST'],
      ['POST', '/api/auth/me', 'GET'],
      ['GET', '/api/auth/login', 'POST'],
      ['OPTIONS', '/api/api-keys', 'GET, POST'],
      ['PUT', `/api/dashboard/agents/${ID}`, 'GET, PATCH, DELETE'],
      ['DELETE', '/api/dashboard/events/stream', 'GET'],
    ] as const) {
      const reply = await browser.request(method, path);
      expectError(asApiReply(reply), 405);
      expect(reply.headers.allow).toBe(allowed);
    }
    expect(relay.seen).toEqual([]);
  });
});

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
      'x-request-id': 'chosen-by-the-page',
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
        expect(reply.body.request_id).toBe('mine');
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
