import { createAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { stayOffTheNet } from './builders/webhooks.js';
import { expectError } from './harness/error-shape.js';
import { ApiDescription, type Operation } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const NOBODY = '00000000-0000-0000-0000-000000000000';

let service: TestApp;
let operator: Person;
let api: ApiDescription;
let ownKey: string;

beforeAll(async () => {
  service = await startTestApp();
  stayOffTheNet(service);
  // An operator, because the routes for operators are among those that user API keys open.
  operator = await registerOperator(service);
  api = ApiDescription.committed();
  ownKey = await userKey();
});

afterAll(() => service.close());

async function userKey(): Promise<string> {
  const reply = await operator.api.post('/api-keys', { name: 'everywhere', everybody: true });
  expect(reply.status).toBe(201);
  return reply.body.key;
}

/** Sends what the document gives as an example, about things that do not exist, and takes the status alone. */
async function statusOf(operation: Operation, credential: Record<string, string>): Promise<number> {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const search = new URLSearchParams(
    query.map(({ name, schema }): [string, string] => [name, String(api.example(schema))]),
  );
  const path = `${operation.path.replace(/\{\w+\}/g, NOBODY)}?${search.toString()}`;
  const leave = new AbortController();
  const response = await fetch(service.url + path, {
    method: operation.method,
    headers: { ...credential, ...(operation.body ? { 'content-type': 'application/json' } : {}) },
    body: operation.body ? JSON.stringify(api.example(operation.body)) : undefined,
    signal: leave.signal,
  });
  // A stream would continue for ever.
  leave.abort();
  return response.status;
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const opens = (operation: Operation, scheme: string) => operation.security.includes(scheme);

describe('A user API key', () => {
  it('opens every user route except those of accounts, users, keys and switches of the service, in both headers', async () => {
    const routes = api.operations.filter((operation) => opens(operation, 'access_token'));
    expect(routes.length).toBeGreaterThan(20);
    for (const operation of routes) {
      const isSwitch = operation.path === '/maintenance' && operation.method !== 'GET';
      const isTokenOnly = isSwitch || /^\/(auth|api-keys|users|log-level)(\/|$)/.test(operation.path);
      const [withToken, withBearer, withHeader] = [
        await statusOf(operation, bearer(operator.accessToken)),
        await statusOf(operation, bearer(ownKey)),
        await statusOf(operation, { 'x-api-key': ownKey }),
      ];
      expect([operation.id, withToken === 401 || withToken === 403]).toEqual([operation.id, false]);
      // Everything but what a key has to name.
      const isByName = operation.scope === 'approve';
      const expected = isTokenOnly ? 401 : isByName ? 403 : withToken;
      expect([operation.id, withBearer, withHeader]).toEqual([operation.id, expected, expected]);
      const declared = [opens(operation, 'user_api_key'), opens(operation, 'user_api_key_header')];
      expect([operation.id, ...declared]).toEqual([operation.id, !isTokenOnly, !isTokenOnly]);
    }
  });

  it("returns only its owner's resources", async () => {
    const [person, stranger] = [await registerPerson(service), await registerPerson(service)];
    const [own, foreign] = [await createAgent(service, person), await createAgent(service, stranger)];
    const caller = service.api.as((await person.api.post('/api-keys', { name: 'mine' })).body.key);
    expect((await caller.get(`/agents/${own.id}`)).status).toBe(200);
    expect((await caller.get(`/agents/${foreign.id}`)).status).toBe(404);
    expect((await caller.post('/deployments', { agent_id: foreign.id })).status).toBe(404);
  });
});

/** Right that a route asks a user API key for, as the document says it. */
const scopeOf = ({ scope, method }: Operation): string | undefined =>
  scope ?? (method === 'GET' ? 'read' : undefined);

describe('A user API key with scopes', () => {
  it('opens the routes of its scopes, and returns 403 with the missing scope elsewhere', async () => {
    const routes = api.operations.filter((operation) => opens(operation, 'user_api_key'));
    const scopes = ['read', 'agents', 'deploy', 'reports', 'webhooks', 'metrics'];
    for (const [of, scope] of scopes.entries()) {
      const { key } = (
        await operator.api.post('/api-keys', { name: scope, scopes: [scope], everybody: true })
      ).body;
      // what a key opens, and a part of the rest: each route meets the key of another scope, too
      const isCalled = (operation: Operation, at: number) =>
        scopeOf(operation) === scope || [at, at + 1].some((turn) => turn % scopes.length === of);
      for (const operation of routes.filter(isCalled)) {
        const status = await statusOf(operation, bearer(key));
        const asked = scopeOf(operation);
        expect(asked).toBeDefined();
        expect([operation.id, scope, status === 403]).toEqual([operation.id, scope, asked !== scope]);
      }
    }
    const { key } = (await operator.api.post('/api-keys', { name: 'reader', scopes: ['read'] })).body;
    const refused = await service.api.as(key).post(`/deployments/${NOBODY}/restart`);
    expectError(refused, 403, 'Missing scope: deploy');
  });

  it('has every scope by default, keeps its scopes when it is rotated, and returns them', async () => {
    expect((await operator.api.post('/api-keys', { name: 'all' })).body.scopes).toEqual(['*']);
    const scopes = ['read', 'deploy'];
    const made = (await operator.api.post('/api-keys', { name: 'some', scopes })).body;
    expect(made.scopes).toEqual(scopes);
    const rotated = (await operator.api.post(`/api-keys/${made.id}/rotate`)).body;
    expect(rotated.scopes).toEqual(scopes);
    const listed = (await operator.api.get('/api-keys')).body.find(({ id }: any) => id === rotated.id);
    expect(listed.scopes).toEqual(scopes);
    expect((await service.api.as(rotated.key).post('/agents', {})).status).toBe(403);
    expect((await service.api.as(rotated.key).get('/agents')).status).toBe(200);
  });

  it('must have at least one scope, each known and named once, and a key of an agent has none', async () => {
    const agent = await createAgent(service, operator);
    const refused = [
      { scopes: [] },
      { scopes: ['everything'] },
      { scopes: ['read', 'read'] },
      { scopes: null },
      { scopes: 'read' },
      { scopes: ['read'], agent_id: agent.id },
    ];
    for (const body of refused)
      expectError(await operator.api.post('/api-keys', { name: 'x', ...body }), 422, /scopes/);
    const own = await operator.api.post('/api-keys', { name: 'x', agent_id: agent.id });
    expect([own.status, own.body.scopes]).toEqual([201, []]);
  });
});
