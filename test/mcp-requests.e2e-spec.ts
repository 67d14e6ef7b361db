import { createAgent } from './builders/agents.js';
import { expiredToken, issueKey } from './builders/credentials.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp({ settings: { PUBLIC_URL: 'https://control.example.com' } });
  person = await registerPerson(service);
});

afterAll(() => service.close());

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** Sends a message as a client of the revision 2025-11-25 does. */
async function send(body: unknown, headers: Readonly<Record<string, string>> = {}, method = 'POST') {
  const response = await fetch(`${service.url}/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${person.accessToken}`,
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('A request without a credential of a person or a project', () => {
  it('returns 401, and says how to get a key', async () => {
    const agent = await createAgent(service, person);
    const useless = {
      none: '',
      garbage: 'Bearer garbage',
      'another scheme': 'Basic dXNlcjpwYXNzd29yZA==',
      "an agent's key": `Bearer ${agent.key}`,
      'a refresh token': `Bearer ${person.refreshToken}`,
      'an expired token': `Bearer ${await expiredToken(service, person)}`,
      'a revoked key': `Bearer ${await issueKey(service, person, { revoked: true })}`,
      'an expired key': `Bearer ${await issueKey(service, person, { expiresAt: new Date(0) })}`,
    };
    for (const [name, authorization] of Object.entries(useless)) {
      const { status, headers, text } = await send(LIST, { authorization });
      expect([name, status, (JSON.parse(text) as { code: string }).code]).toEqual([
        name,
        401,
        'invalid_token',
      ]);
      expect(headers.get('www-authenticate')).toMatch(
        /^Bearer realm="[^"]+", error_description="[^"]*svc api-keys create[^"]*"$/,
      );
    }
  });

  it('finds no identity provider where single sign-on is not set up', async () => {
    for (const part of ['', '/mcp'])
      expect((await fetch(`${service.url}/.well-known/oauth-protected-resource${part}`)).status).toBe(404);
  });

  it('is refused on another route with the usual challenge', async () => {
    const { headers } = await service.api.get('/agents');
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('A request that is no call', () => {
  it('returns 405 to GET and DELETE', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(null, {}, method);
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  it('returns 403 to a page of another site', async () => {
    const allowed = ['http://localhost:6274', 'http://127.0.0.1:3000', 'https://control.example.com'];
    for (const origin of allowed) expect((await send(LIST, { origin })).status).toBe(200);
    for (const origin of [
      'https://evil.example',
      'http://localhost.evil.example',
      'null',
      'https://control.example.com.evil',
    ])
      expect([origin, (await send(LIST, { origin })).status]).toEqual([origin, 403]);
  });

  it('returns 422 to a header that narrows in an unknown way', async () => {
    const unknown: readonly Record<string, string>[] = [
      { 'x-mcp-readonly': 'yes' },
      { 'x-mcp-toolsets': 'agents,billing' },
      { 'x-mcp-toolsets': '' },
    ];
    for (const headers of unknown) expect((await send(LIST, headers)).status).toBe(422);
  });

  it('returns 400 to several messages, to broken JSON and to a number of which a part is lost', async () => {
    expect(await send([LIST, LIST])).toMatchObject({
      status: 400,
      text: expect.stringContaining('one message'),
    });
    expect((await send('{')).status).toBe(400);
    const call = {
      ...LIST,
      method: 'tools/call',
      params: { name: 'start_run', arguments: { input: 'NUMBER' } },
    };
    const lost = JSON.stringify(call).replace('"NUMBER"', '12345678901234567890');
    expect(await send(lost)).toMatchObject({
      status: 400,
      text: expect.stringContaining('params.arguments.input'),
    });
  });

  it('returns 413 to a body over the limit of all bodies', async () => {
    expect((await send({ ...LIST, params: { text: 'x'.repeat(1_100_000) } })).status).toBe(413);
  });

  it('opens no stream of changes', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = {
      ...LIST,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    expect((await send(listen, headers)).text).toContain('limit reached');
  });
});

it('A call of a tool and its effect have one identifier in the audit log', async () => {
  const agent = await createAgent(service, person);
  const params = { name: 'deploy_agent', arguments: { agent_id: agent.id } };
  const { headers } = await send({ ...LIST, method: 'tools/call', params });
  const idOf = async (action: string) =>
    (await person.api.get(`/audit?action=${action}`)).body[0]?.request_id as string | undefined;
  await until(async () => (await idOf('mcp.call')) === headers.get('x-request-id'));
  expect(await idOf('agent.deploy')).toBe(headers.get('x-request-id'));
});
