import { type Person, registerPerson } from './builders/people.js';
import { rawRequest } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let behindProxy: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  behindProxy = await startTestApp({ database: service.database, settings: { TRUST_PROXY: 'loopback' } });
  person = await registerPerson(service);
});

afterAll(async () => {
  await behindProxy.close();
  await service.close();
});

describe('X-Request-Id', () => {
  it.each(['abc', '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d', 'a.b_c:d-e', 'x'.repeat(128)])(
    'is kept when it is valid and comes from a trusted proxy: %s',
    async (id) => {
      const headers = { 'X-Request-Id': id };
      expect((await behindProxy.api.get('/health', { headers })).headers.get('x-request-id')).toBe(id);
      expect((await behindProxy.api.get('/nothing', { headers })).body.request_id).toBe(id);
    },
  );

  it('of a stranger is not used, so that no request gets the identifier of another one', async () => {
    const headers = { 'X-Request-Id': '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' };
    const reply = await person.api.post('/projects', { name: 'p' }, { headers });
    expect(reply.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    const [entry] = (await person.api.get(`/audit?target_id=${reply.body.id}`)).body;
    expect(entry.request_id).toBe(reply.headers.get('x-request-id'));
    expect(entry.request_id).not.toBe(headers['X-Request-Id']);
  });

  it.each(['', 'a b', 'a,b', '<script>', 'x'.repeat(129), 'é', '{"a":1}', "'; DROP TABLE users"])(
    'is replaced when it is invalid: %j',
    async (id) => {
      for (const path of ['/health', '/nothing', '/agents']) {
        const reply = await rawRequest(behindProxy.url, { path, headers: { 'X-Request-Id': id } });
        expect(reply.headers['x-request-id']).toMatch(
          /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/,
        );
      }
    },
  );

  it('is replaced when the header is sent twice', async () => {
    const reply = await rawRequest(behindProxy.url, {
      path: '/health',
      headers: { 'X-Request-Id': ['one', 'two'] },
    });
    expect(reply.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });

  it('is on the replies of the body parser, the router and the documentation too', async () => {
    for (const reply of [
      await service.api.post('/agents', undefined, { raw: '{' }),
      await service.api.get('/nothing'),
      await service.api.get('/docs'),
      await service.api.get('/openapi.json'),
      await service.api.request('OPTIONS', '/agents'),
    ]) {
      expect(reply.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    }
  });
});
