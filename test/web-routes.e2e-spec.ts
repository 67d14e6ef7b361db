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

const SPAN_ID = '00f067aa0ba902b7';
const withIds = (path: string) =>
  path
    .replace('{config_version}', '1')
    .replace('{span_id}', SPAN_ID)
    .replaceAll(/\{\w+\}/g, ID);

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
       "POST /api/auth/login/second-factor",
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
       "GET /api/auth/factors",
       "POST /api/auth/factors/totp",
       "POST /api/auth/factors/passkeys/options",
       "POST /api/auth/factors/passkeys",
       "DELETE /api/auth/factors/{factor_id}",
       "POST /api/auth/factors/{factor_id}/confirm",
       "POST /api/auth/recovery-codes",
       "POST /api/auth/step-up/options",
       "POST /api/auth/step-up",
       "GET /api/dashboard/overview",
       "GET /api/dashboard/overview/day",
       "GET,POST /api/dashboard/agents",
       "GET /api/dashboard/agents/groups",
       "GET /api/dashboard/agents/health-hours",
       "GET,PATCH,DELETE /api/dashboard/agents/{agent_id}",
       "GET /api/dashboard/agents/{agent_id}/quotas",
       "GET /api/dashboard/agents/{agent_id}/timeline",
       "GET /api/dashboard/agents/{agent_id}/configs",
       "GET /api/dashboard/agents/{agent_id}/configs/{config_version}",
       "POST /api/dashboard/agents/{agent_id}/deploy",
       "POST /api/dashboard/agents/{agent_id}/stop",
       "POST /api/dashboard/agents/{agent_id}/pause",
       "POST /api/dashboard/agents/{agent_id}/resume",
       "POST /api/dashboard/agents/{agent_id}/runs",
       "GET /api/dashboard/agents/{agent_id}/runs/config-versions",
       "POST /api/dashboard/agents/{agent_id}/schedules",
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
       "POST /api/dashboard/deployments/{deployment_id}/rolling-restart",
       "GET /api/dashboard/deployments/{deployment_id}/events",
       "GET /api/dashboard/deployments/{deployment_id}/events/stream",
       "GET /api/dashboard/deployments/{deployment_id}/commands",
       "GET /api/dashboard/deployments/{deployment_id}/logs",
       "GET /api/dashboard/deployments/{deployment_id}/metrics",
       "GET /api/dashboard/deployments/{deployment_id}/metrics/summary",
       "GET /api/dashboard/runs",
       "GET /api/dashboard/runs/{run_id}",
       "GET /api/dashboard/runs/{run_id}/events",
       "GET /api/dashboard/runs/{run_id}/logs",
       "GET /api/dashboard/runs/{run_id}/spans",
       "GET /api/dashboard/runs/{run_id}/spans/{span_id}",
       "GET /api/dashboard/runs/{run_id}/stream",
       "POST /api/dashboard/runs/{run_id}/cancel",
       "POST /api/dashboard/runs/{run_id}/retry",
       "GET /api/dashboard/schedules",
       "GET,PATCH,DELETE /api/dashboard/schedules/{schedule_id}",
       "POST /api/dashboard/schedules/{schedule_id}/trigger",
       "GET /api/dashboard/approvals",
       "GET /api/dashboard/approvals/{approval_id}",
       "POST /api/dashboard/approvals/{approval_id}/decide",
       "GET,PUT,DELETE /api/dashboard/maintenance",
       "GET,POST /api/dashboard/pauses",
       "DELETE /api/dashboard/pauses/{pause_id}",
       "GET /api/dashboard/usage",
       "GET,POST /api/dashboard/budgets",
       "PATCH,DELETE /api/dashboard/budgets/{budget_id}",
       "GET /api/dashboard/events",
       "GET /api/dashboard/events/stream",
       "GET /api/dashboard/audit",
       "GET,POST /api/dashboard/projects",
       "GET,PATCH,DELETE /api/dashboard/projects/{project_id}",
       "GET,PATCH /api/dashboard/projects/{project_id}/limits",
       "GET,POST /api/dashboard/projects/{project_id}/members",
       "PATCH,DELETE /api/dashboard/projects/{project_id}/members/{user_id}",
       "GET,POST /api/dashboard/users",
       "PATCH,DELETE /api/dashboard/users/{user_id}",
       "POST /api/dashboard/users/{user_id}/password-reset",
       "DELETE /api/dashboard/users/{user_id}/factors",
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
