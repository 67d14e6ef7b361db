import { jest } from '@jest/globals';
import { LeadsService } from '../src/leads/leads.service.js';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { exchangeBytes, rawRequest } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const NIL = '00000000-0000-0000-0000-000000000000';

let service: TestApp;
let person: Person;
let agent: TestAgent;
let deploymentId: string;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerOperator(service);
  agent = await createAgent(service, person);
  deploymentId = await deploy(person, agent);
});

afterAll(() => service.close());

describe('An unknown route', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/agents/a/b/c'],
    ['GET', '/favicon.ico'],
    ['GET', '/.env'],
    ['GET', '//agents'],
    ['GET', '/agents//'],
    ['GET', '/docs/nothing'],
    ['GET', '/docs/package.json/..'],
    ['GET', '/docs/x/..'],
    ['GET', '/docs/x/%2e%2e'],
    ['GET', '/docs/..%2fpackage.json'],
    ['GET', '/docs//'],
    ['GET', '/docs-yaml'],
    ['POST', '/nothing'],
    ['POST', '/docs/nothing'],
    ['OPTIONS', '/nothing'],
  ])('%s %s returns 404', async (method, path) => {
    const { status, body } = await rawRequest(service.url, { method, path });
    expect([status, body.message]).toEqual([404, 'Route not found']);
  });

  it('returns the same error document as every other error', async () => {
    expectError(await service.api.get('/nothing'), 404, 'Route not found');
    expectError(await person.api.delete('/nothing'), 404, 'Route not found');
  });
});

describe('An error', () => {
  it.each<[number, () => Promise<any>, string]>([
    [
      400,
      () => person.api.post(`/deployments/${deploymentId}/restart`),
      'Can only restart stopped or failed deployments',
    ],
    [401, () => service.api.get('/agents'), 'Invalid or expired token'],
    [403, () => agent.runtime.get(`/agents/${NIL}/status`), 'Agent ID mismatch'],
    [404, () => person.api.get(`/agents/${NIL}`), 'Agent not found'],
    [
      422,
      () => person.api.post('/agents', { user_id: person.id, colour: 1 }),
      'property user_id should not exist; property colour should not exist',
    ],
  ])('of status %i has the one form of all errors', async (status, request, message) => {
    expectError(await request(), status, message);
  });

  it('that is unexpected reveals nothing about itself', async () => {
    const failure = new Error('duplicate key (password_hash)=($2b$12$)');
    const create = jest.spyOn(service.app.get(LeadsService), 'create').mockRejectedValue(failure);
    const reply = await service.api.post('/leads', { email: 'ada@example.com' });
    create.mockRestore();
    expectError(reply, 500, 'Internal server error');
  });

  it('of status 409 has the same form', async () => {
    expectError(await person.api.patch(`/users/${person.id}`, { is_admin: false }), 409);
  });
});

describe('A request over the rate limit', () => {
  it('returns 429 in the form of every error, with Retry-After', async () => {
    const other = await startTestApp({
      database: service.database,
      settings: { RATE_LIMIT_LOGIN_PER_ADDRESS: '1' },
    });
    try {
      const login = () => other.api.post('/auth/login', { email: 'a@example.com', password: 'x' });
      await login();
      expectError(await login(), 429, 'Too many requests');
    } finally {
      await other.close();
    }
  });
});

describe('An identifier in a path', () => {
  it.each([
    'x',
    '1',
    'undefined',
    '%00',
    '%ff',
    `${NIL}0`,
    NIL.slice(1),
    NIL.replaceAll('-', ''),
    `{${NIL}}`,
    '..%2f..%2fetc',
  ])('returns 422 when it is no UUID: %s', async (text) => {
    const headers = { authorization: `Bearer ${person.accessToken}` };
    const reply = await rawRequest(service.url, { path: `/agents/${text}`, headers });
    // %ff is no UTF-8, so the path itself is malformed
    expect(reply.status).toBe(text === '%ff' ? 400 : 422);
  });

  it('is named in the message when it is malformed', async () => {
    expectError(await person.api.get('/agents/x'), 422, 'agent_id must be a UUID');
    expectError(await person.api.get('/deployments/x/events'), 422, 'deployment_id must be a UUID');
  });

  it.each([
    NIL,
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '12345678-1234-0234-8234-123456789012',
    '12345678-1234-4234-8234-123456789012',
    '12345678-1234-f234-0234-123456789012',
    'ABCDEFAB-1234-7234-8234-ABCDEFABCDEF',
  ])('returns 404 when nothing has it, whatever its UUID version: %s', async (id) => {
    expectError(await person.api.get(`/agents/${id}`), 404, 'Agent not found');
    expectError(await person.api.get(`/deployments/${id}`), 404, 'Deployment not found');
    expectError(await person.api.post('/deployments', { agent_id: id }), 404, 'Agent not found');
  });

  it('is accepted in any case', async () => {
    const reply = await person.api.get(`/agents/${agent.id.toUpperCase()}`);
    expect([reply.status, reply.body.id]).toEqual([200, agent.id]);
    expect((await agent.runtime.get(`/agents/${agent.id.toUpperCase()}/status`)).status).toBe(200);
    const deployed = await person.api.post('/deployments', { agent_id: agent.id.toUpperCase() });
    expect([deployed.status, deployed.body.agent_id]).toEqual([201, agent.id]);
  });

  it.each(['/agents/%', '/agents/%E0%A4%A', '/agents/%zz/logs', '/deployments/%C0%80'])(
    'returns 400 when its percent-encoding is broken: %s',
    async (path) => {
      const headers = { authorization: `Bearer ${person.accessToken}` };
      const reply = await rawRequest(service.url, { path, headers });
      expect([reply.status, reply.body.message]).toEqual([400, 'Malformed path']);
      expect(reply.body.request_id).toBe(reply.headers['x-request-id']);
    },
  );
});

describe('A path', () => {
  it('is served with and without a trailing slash, without a redirect', async () => {
    for (const path of [
      '/',
      '/agents',
      '/deployments',
      '/auth/me',
      '/health',
      `/agents/${agent.id}`,
      '/openapi.json',
      '/docs',
    ]) {
      const [plain, slashed] = [await person.api.get(path), await person.api.get(`${path}/`)];
      expect([path, plain.status, slashed.status]).toEqual([path, 200, 200]);
    }
    expect((await person.api.post('/agents/', {})).status).toBe(201);
  });

  it('with fixed segments takes precedence over one with parameters', async () => {
    expect((await agent.runtime.get('/agents/commands')).status).toBe(200);
    expectError(await person.api.get('/agents/commands'), 401);
    expectError(await person.api.get('/agents/heartbeat'), 405);
  });
});

describe('The page of the documentation', () => {
  it('can not be framed, and loads only files of this service', async () => {
    const { headers, body } = await service.api.get('/docs');
    expect(String(headers.get('content-security-policy')).split(';').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
    ]);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(String(body)).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|(?:src|href)="(?:https?:)?\/\//);
  });

  it('has Strict-Transport-Security for a year when requested over TLS, as every reply', async () => {
    for (const path of ['/docs', '/health', '/nothing']) {
      const { headers } = await service.api.get(path);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    }
  });
});

it('No reply is kept by a cache', async () => {
  for (const path of ['/agents', `/agents/${agent.id}`, '/auth/me', '/health', '/nothing']) {
    const { headers } = await person.api.get(path);
    expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
  }
});

describe('Every timestamp', () => {
  it('is UTC with milliseconds and Z', async () => {
    await agent.runtime.post('/agents/heartbeat', { message: 'here' });
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'x' });
    await agent.runtime.post('/agents/metrics', { cpu_usage: 1 });
    const replies = [
      await person.api.get('/auth/me'),
      await person.api.get('/users'),
      await person.api.get('/audit'),
      await person.api.get('/agents'),
      await person.api.get(`/agents/${agent.id}`),
      await person.api.get(`/agents/${agent.id}/logs`),
      await person.api.get(`/agents/${agent.id}/metrics`),
      await person.api.get('/deployments'),
      await person.api.get(`/deployments/${deploymentId}/events`),
      await person.api.get(`/deployments/${deploymentId}/commands`),
      await agent.runtime.post('/agents/heartbeat', {}),
      await agent.runtime.get('/agents/commands'),
      await agent.runtime.get(`/agents/${agent.id}/status`),
      await service.api.get('/health'),
      await service.api.get('/ready'),
    ];
    const moments = replies.flatMap((reply) => momentsIn(reply.body));
    expect(moments.length).toBeGreaterThan(30);
    expect(moments.filter((moment) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(moment))).toEqual([]);
  });
});

/** All values with the name of a time, and all texts that begin like one. */
function momentsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([inner, entry]) => momentsIn(entry, inner));
  }
  if (typeof value !== 'string') return [];
  return /(_at|timestamp|last_heartbeat)$/.test(name) || /^\d{4}-\d\d-\d\dT/.test(value) ? [value] : [];
}

describe('A request that can not be parsed', () => {
  it.each(
    [
      ['nonsense\r\n\r\n', 400],
      ['GET http://[/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
      ['GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
      ['POST / HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}', 400],
      [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ].map(([bytes, status]) => [String(bytes).slice(0, 60), bytes, status] as [string, string, number]),
  )('is answered in the form of every error: %j', async (_, bytes, status) => {
    const [head = '', body = ''] = (await exchangeBytes(service.url, bytes)).split('\r\n\r\n');
    const headers = new Headers(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(': ') as [string, string]),
    );
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expectError({ status, headers, body: JSON.parse(body) }, status);
  });
});
