import { readFileSync } from 'node:fs';
import { createServiceClient, type ServiceClientOptions, unwrap } from './service-client.js';
import { ServiceError, UnreachableError } from './service-errors.js';

function clientOf(answer: (request: Request) => Response, options: Partial<ServiceClientOptions> = {}) {
  const asked: Request[] = [];
  const fetch = async (request: Request) => {
    asked.push(request);
    return answer(request);
  };
  return { client: createServiceClient({ baseUrl: 'http://service.test', fetch, ...options }), asked };
}

const json =
  (status: number, body: unknown = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

it('The client calls the given address with the given credential', async () => {
  const { client, asked } = clientOf(json(200, []), {
    baseUrl: 'http://service.test/base//',
    credentials: 'svc_user_x',
    userAgent: 'tests/1',
  });
  expect(await unwrap(client.GET('/agents', { params: { query: { limit: 2 } } }))).toEqual([]);
  expect(asked[0]!.url).toBe('http://service.test/base/agents?limit=2');
  expect(asked[0]!.headers.get('authorization')).toBe('Bearer svc_user_x');
  expect(asked[0]!.headers.get('user-agent')).toBe('tests/1');
});

it('The client escapes parameters of a path', async () => {
  const { client, asked } = clientOf(json(200));
  await client.GET('/agents/{agent_id}', { params: { path: { agent_id: '../users?x' } } });
  expect(asked[0]!.url).toBe('http://service.test/agents/..%2Fusers%3Fx');
});

it('The client sends a new Idempotency-Key only with requests that accept one', async () => {
  const { client, asked } = clientOf(json(200));
  const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
  const taking: string[] = [];
  for (const [path, { post }] of Object.entries<any>(document.paths)) {
    if (!post) continue;
    const key = '#/components/parameters/IdempotencyKeyHeader';
    if (post.parameters?.some(({ $ref }: any) => $ref === key)) taking.push(path);
    const params = { path: new Proxy({}, { get: () => 'x' }) };
    await (client.POST as (path: string, init: object) => Promise<unknown>)(path, { params, body: {} });
  }
  const keyed = asked.filter(({ headers }) => headers.has('idempotency-key'));
  expect(keyed.map(({ url }) => new URL(url).pathname)).toEqual(
    taking.map((path) => path.replaceAll(/\{\w+\}/g, 'x')),
  );
  const keys = keyed.map(({ headers }) => headers.get('idempotency-key'));
  expect(new Set(keys).size).toBe(taking.length);
});

it("The client keeps the caller's own Idempotency-Key", async () => {
  const { client, asked } = clientOf(json(201));
  await client.POST('/agents', { params: { header: { 'Idempotency-Key': 'mine' } }, body: {} });
  expect(asked[0]!.headers.get('idempotency-key')).toBe('mine');
});

it('The client rejects with the message of the service', async () => {
  const body = { statusCode: 404, error: 'Not Found', message: 'No', detail: 'No', request_id: 'r' };
  const { client } = clientOf(json(404, body));
  const refused = client.GET('/agents/{agent_id}', { params: { path: { agent_id: 'x' } } });
  await expect(refused).rejects.toThrow(ServiceError);
  await expect(refused).rejects.toMatchObject({ status: 404, detail: 'No', requestId: 'r' });
});

it('The client accepts a reply without a body', async () => {
  const { client } = clientOf(() => new Response(null, { status: 204 }));
  const deleted = await client.DELETE('/agents/{agent_id}', { params: { path: { agent_id: 'x' } } });
  expect(deleted.response.status).toBe(204);
});

it('The client refuses a page of another server', async () => {
  const page = () =>
    new Response('<html>Log in to the wifi</html>', { headers: { 'content-type': 'text/html' } });
  const { client } = clientOf(page);
  const answer = client.GET('/agents');
  await expect(answer).rejects.toThrow(UnreachableError);
  await expect(answer).rejects.toThrow('http://service.test (something else answers there)');
});
