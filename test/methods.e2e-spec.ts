import { createAgent, deploy } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { rawRequest } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

describe('An unsupported method', () => {
  it.each([
    ['PUT', '/agents', 'GET, HEAD, POST'],
    ['PATCH', '/agents/', 'GET, HEAD, POST'],
    ['DELETE', '/Agents', 'GET, HEAD, POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['TRACE', '/agents', 'GET, HEAD, POST'],
    ['OPTIONS', '/agents', 'GET, HEAD, POST'],
    ['PROPFIND', '/agents', 'GET, HEAD, POST'],
    ['GET', '/auth/login', 'POST'],
    ['HEAD', '/auth/login', 'POST'],
    ['GET', '/agents/heartbeat', 'POST'],
    ['DELETE', '/agents/commands', 'GET'],
    ['HEAD', '/agents/commands?wait=60', 'GET'],
    ['POST', '/agents/x', 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/agents/%ff', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/webhooks/deployment', 'POST'],
    ['POST', '/docs', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['PUT', '/', 'GET, HEAD'],
  ])('returns 405 with the supported ones: %s %s', async (method, path, allow) => {
    const expected = [405, allow, 'application/json; charset=utf-8'];
    const text = { 'content-type': 'text/plain' };
    for (const [headers, body] of [
      [{}, []],
      [{ authorization: `Bearer ${person.accessToken}` }, []],
      [{ authorization: 'Bearer nonsense', ...text }, ['no JSON']],
    ] as const) {
      const { status, headers: given } = await rawRequest(service.url, {
        method,
        path,
        headers,
        parts: body,
      });
      expect([status, given.allow, given['content-type']]).toEqual(expected);
    }
  });

  it('gets no permission for pages of other sites, and neither does a supported one', async () => {
    const asked = { origin: 'https://evil.example.com', 'access-control-request-method': 'POST' };
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      const { headers } = await person.api.request(method, '/agents', { headers: asked });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('is answered in the form of every error', async () => {
    const reply = await person.api.request('PUT', '/agents');
    expectError(reply, 405, 'The path does not support PUT: the header Allow lists the supported methods');
  });
});

describe('HEAD', () => {
  it('is answered like GET, without a body', async () => {
    const reply = await person.api.request('HEAD', '/agents?include_total=true');
    expect([reply.status, reply.body]).toEqual([200, '']);
    expect(reply.headers.get('x-total-count')).toMatch(/^\d+$/);
    expect((await service.api.request('HEAD', '/health')).status).toBe(200);
    const refused = await service.api.request('HEAD', '/agents');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it('returns 405 where GET hands out data to one caller', async () => {
    const waiting = await createAgent(service, person);
    const id = await deploy(person, waiting);
    const headers = { authorization: `Bearer ${waiting.key}` };
    const reply = await rawRequest(service.url, { method: 'HEAD', path: '/agents/commands', headers });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET']);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    const { commands } = (await waiting.runtime.get('/agents/commands')).body;
    expect(commands).toMatchObject([{ deployment_id: id, attempt: 1 }]);
  });
});
