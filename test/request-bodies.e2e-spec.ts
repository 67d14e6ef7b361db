import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { expectError } from './harness/error-shape.js';
import { ApiDescription } from './harness/openapi.js';
import { rawRequest } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const LIMIT = 1024 * 1024;
const UNKNOWN = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';

let service: TestApp;
let operator: Person;
let person: Person;
let agent: TestAgent;
let deploymentId: string;

beforeAll(async () => {
  service = await startTestApp();
  operator = await registerOperator(service);
  person = await registerPerson(service);
  ({ agent, id: deploymentId } = await stageDeployment(service, person, 'running'));
});

afterAll(() => service.close());

/** `POST /agents` with any headers and bytes. */
function postAgent(headers: Record<string, string>, ...parts: (string | Buffer)[]) {
  return rawRequest(service.url, {
    method: 'POST',
    path: '/agents',
    headers: { authorization: `Bearer ${person.accessToken}`, ...headers },
    parts,
  });
}

const json = { 'content-type': 'application/json' };

describe('A body that is no JSON', () => {
  it.each(['{', '{"a":}', "{'a':1}", '{"a":1}}', 'nonsense', '{"a":1,}', '[1,2', '\u0000', '{"a":"\n"}'])(
    'returns 400: %j',
    async (raw) => {
      expectError(await person.api.post('/agents', undefined, { raw }), 400, 'Malformed JSON');
    },
  );

  it('is not repeated in the message', async () => {
    // The parser's own message of the second one repeats it.
    for (const raw of ['{"password":"s3cret', '{"password":s3cret}']) {
      const reply = await person.api.post('/agents', undefined, { raw });
      expect(JSON.stringify(reply.body)).not.toContain('s3cret');
    }
  });
});

describe('A body that is no object', () => {
  it.each(['[]', '[{}]', '[null]', '[{"replicas":2}]', '[{"name":"x"}]', '"text"', '5', 'null', 'true'])(
    'returns 422: %s',
    async (raw) => {
      expectError(await person.api.post('/agents', undefined, { raw }), 422, 'The body must be an object');
      expectError(await person.api.post(`/deployments/${deploymentId}/scale`, undefined, { raw }), 422);
      expectError(await person.api.post('/auth/login', undefined, { raw }), 422);
      expectError(await agent.runtime.post('/agents/heartbeat', undefined, { raw }), 422);
      expectError(await agent.runtime.post('/agents/logs', undefined, { raw }), 422);
    },
  );
});

describe('An empty body', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['without a content type', {}, []],
    ['with the content type of JSON', json, []],
    ['of length 0', { ...json, 'content-length': '0' }, []],
    ['that comes in no chunks', { ...json, 'transfer-encoding': 'chunked' }, []],
    ['of length 0 and another content type', { 'content-type': 'text/plain', 'content-length': '0' }, []],
  ])('is accepted %s when no property is required', async (_, headers, parts) => {
    expect((await postAgent(headers, ...parts)).status).toBe(201);
    const stopped = await rawRequest(service.url, {
      method: 'POST',
      path: `/agents/${(await createAgent(service, person)).id}/stop`,
      headers: { authorization: `Bearer ${person.accessToken}`, ...headers },
    });
    expect(stopped.status).toBe(200);
  });

  it('names each required property in the refusal', async () => {
    const message = 'replicas must be a whole number from 0 on';
    expectError(await person.api.post(`/deployments/${deploymentId}/scale`), 422, message);
    expectError(
      await service.api.post('/auth/login'),
      422,
      /email must be an email.*password must be a string/,
    );
  });

  it('is accepted on GET and DELETE', async () => {
    const doomed = await createAgent(service, person);
    expect((await person.api.get('/agents', { headers: json })).status).toBe(200);
    expect((await person.api.delete(`/agents/${doomed.id}`, { headers: json })).status).toBe(204);
  });
});

/** Every route of people that changes something and has no body, so that new ones are included. */
const withoutBody = ApiDescription.committed().operations.filter(
  ({ method, body, security }) => method !== 'GET' && !body && !security.includes('agent_api_key'),
);

describe('A route that takes no body', () => {
  it('is among others logout, stop, restart or delete', () => {
    expect(withoutBody.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['logout', 'stopAgent', 'restartDeployment', 'deleteAgent']),
    );
  });

  it.each(withoutBody)('refuses a body with properties: $method $path', async ({ method, path }) => {
    const send = (raw: string) =>
      operator.api.request(method, path.replace(/\{\w+\}/g, UNKNOWN), { raw, headers: json });
    expectError(await send('{"replicas":4}'), 422, 'property replicas should not exist');
    expectError(
      await send('{"a":null,"__proto__":{}}'),
      422,
      'property a should not exist; property __proto__ should not exist',
    );
    for (const raw of ['[]', '[{}]', 'null', '"x"', '4'])
      expectError(await send(raw), 422, 'The body must be an object');
    // 409: the operator has no second factor, whose recovery codes could be replaced.
    for (const raw of ['', '{}']) expect([200, 204, 404, 409]).toContain((await send(raw)).status);
  });

  it('changes nothing when it refuses a body', async () => {
    const { id } = await stageDeployment(service, person, 'running');
    const { body: before } = await person.api.get(`/deployments/${id}`);
    const path = `/agents/${before.agent_id}/stop`;
    expectError(await person.api.post(path, { deployment_id: id }), 422);
    expect((await person.api.get(`/deployments/${id}`)).body).toEqual(before);
    expect((await person.api.post(path, {})).body.stopped).toBe(1);
  });
});

describe('A body of another content type', () => {
  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/octet-stream',
    'nonsense',
    '',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-7',
    'application/json; charset=nonsense',
  ])('returns 415: %s', async (type) => {
    const reply = await postAgent({ 'content-type': type }, '{}');
    expect([reply.status, reply.body.error]).toEqual([415, 'Unsupported Media Type']);
    expect(reply.body.request_id).toBe(reply.headers['x-request-id']);
  });

  it('returns 415 without a content type', async () => {
    expect((await postAgent({}, '{}')).status).toBe(415);
    expect((await postAgent({}, '{', '}')).status).toBe(415);
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; profile=x',
  ])('is accepted when the type means JSON: %s', async (type) => {
    expect((await postAgent({ 'content-type': type }, '{}')).status).toBe(201);
  });

  it.each([
    'application/json;',
    'application/json; charset',
    'application/json; =x',
    'application/json; charset=',
    'application/json;;;',
    'application/json, text/plain',
  ])('never returns 500 when the type is malformed: %s', async (type) => {
    expect([201, 415]).toContain((await postAgent({ 'content-type': type }, '{}')).status);
  });
});

/** Small enough, because the best quality takes seconds for megabytes. */
const hastyBrotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

describe('A body over the limit', () => {
  const filled = (bytes: number) => {
    const empty = JSON.stringify({ description: '' }).length;
    return JSON.stringify({ description: 'x'.repeat(bytes - empty) });
  };

  it('returns 413, and one of exactly the limit is read', async () => {
    expectError(
      await person.api.post('/agents', undefined, { raw: filled(LIMIT + 1) }),
      413,
      `The body is larger than ${LIMIT} bytes (MAX_BODY_BYTES): send it in smaller parts`,
    );
    expectError(
      await person.api.post('/agents', undefined, { raw: filled(LIMIT) }),
      422,
      /^description must be shorter/,
    );
  });

  it('returns 413 when sent in chunks', async () => {
    const chunk = filled(64 * 1024);
    const reply = await postAgent(json, ...Array<string>(17).fill(chunk));
    expect([reply.status, reply.body.message]).toEqual([
      413,
      `The body is larger than ${LIMIT} bytes (MAX_BODY_BYTES): send it in smaller parts`,
    ]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', hastyBrotli],
  ] as const)('returns 413 although %s makes it small', async (encoding, compress) => {
    const bomb = compress(Buffer.from(filled(32 * LIMIT)));
    expect(bomb.length).toBeLessThan(LIMIT / 16);
    const headers = { ...json, 'content-encoding': encoding };
    const reply = await postAgent(headers, bomb);
    expect([reply.status, reply.body.message]).toEqual([
      413,
      `The body is larger than ${LIMIT} bytes (MAX_BODY_BYTES): send it in smaller parts`,
    ]);
    expect((await postAgent(headers, compress(Buffer.from('{"name":"small"}')))).status).toBe(201);
  });

  it('has its limit in MAX_BODY_BYTES', async () => {
    const other = await startTestApp({ database: service.database, settings: { MAX_BODY_BYTES: '2048' } });
    try {
      const api = other.api.as(person.accessToken);
      expectError(await api.post('/agents', undefined, { raw: filled(2049) }), 413);
      expectError(await api.post('/agents', undefined, { raw: filled(2048) }), 422);
    } finally {
      await other.close();
    }
  });
});

describe('A compressed body', () => {
  it.each([
    ['gzip', '{}', 400, "The body can't be decoded"],
    ['gzip', gzipSync('{"name":"x"}').subarray(0, 15), 400, "The body can't be decoded"],
    ['br', '{}', 400, "The body can't be decoded"],
    ['gzip', gzipSync('{'), 400, 'Malformed JSON'],
    ['rot13', '{}', 415, 'The content encoding must be identity or one of gzip, deflate, br, zstd'],
    ['gzip, gzip', '{}', 415, 'The content encoding must be identity or one of gzip, deflate, br, zstd'],
  ])('is refused when it can not be decompressed: %s %j', async (encoding, content, status, message) => {
    const reply = await postAgent({ ...json, 'content-encoding': encoding }, content);
    expect([reply.status, reply.body.message]).toEqual([status, message]);
  });
});

describe('Deep nesting', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

  it.each([
    ['arrays', nested(500_000)],
    ['objects', objects(150_000)],
    ['one level too many', nested(201)],
  ])('is refused past its limit: %s', async (_, raw) => {
    const message = 'The body is nested too deeply: at most 200 levels';
    expectError(await person.api.post('/agents', undefined, { raw }), 400, message);
    expectError(await agent.runtime.post('/agents/register', undefined, { raw }), 400, message);
    expectError(await agent.runtime.post('/agents/logs', undefined, { raw }), 400, message);
  });

  it('is accepted within its limit', async () => {
    const config = objects(190);
    const reply = await person.api.post('/agents', undefined, { raw: `{"config":${config}}` });
    expect([reply.status, reply.body.config]).toEqual([201, config]);
    const registered = await agent.runtime.post('/agents/register', undefined, {
      raw: `{"capabilities":${nested(190)}}`,
    });
    expect(registered.status).toBe(200);
  });

  it('does not count brackets in strings', async () => {
    const text = `${'[{'.repeat(500)}"${'\\'}${'[{'.repeat(500)}`;
    const reply = await person.api.post('/agents', { name: 'brackets', description: text.slice(0, 2_000) });
    expect([reply.status, reply.body.description]).toEqual([201, text.slice(0, 2_000)]);
    const deep = nested(100_000);
    expect((await person.api.post('/agents', { config: deep })).body.config).toBe(deep);
  });
});
