import { type Belongings, BELONGINGS_SETTINGS, giveBelongings } from './builders/belongings.js';
import { type KeyedCall, keyedCalls } from './builders/keyed-calls.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { ApiDescription, type Operation } from './harness/openapi.js';
import { KEY_USED, replayed } from './harness/idempotency-replies.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;
let other: Person;
let belongings: Belongings;
let operations: readonly Operation[];

beforeAll(async () => {
  service = await startTestApp({ settings: BELONGINGS_SETTINGS });
  person = await registerOperator(service);
  other = await registerPerson(service);
  belongings = await giveBelongings(service, person);
  operations = ApiDescription.committed().operations;
});

afterAll(() => service.close());

const calls = keyedCalls(() => ({ service, person, belongings }));

/** Another operation to which the caller of one could send the same key. */
async function elsewhere(id: string, { as }: KeyedCall): Promise<KeyedCall> {
  // Logs and metrics keep the keys of batches apart from those of other requests.
  if (id === 'reportRuns' || id === 'reportUsage') return { as, path: '/agents/register', body: {} };
  const others =
    as === service.api
      ? ['registerUser', 'createLead']
      : as === belongings.agent.runtime
        ? ['submitLogs', 'submitMetrics']
        : ['createAgent', 'createWebhook'];
  return { ...(await calls[others.find((candidate) => candidate !== id)!]!()), as };
}

let keys = 0;
const newKey = () => `key ${++keys}`;

function post(call: KeyedCall, key: string, body: object | undefined = call.body): Promise<ApiReply<any>> {
  return call.as.post(call.path, body, { headers: { 'Idempotency-Key': key } });
}

/** The person of a request without a credential. */
const emailOf = ({ body }: KeyedCall) => ({ email: (body as { email: string }).email });

/** Number of rows that a request could create. */
async function amounts(): Promise<unknown> {
  const tables = [
    'users',
    'projects',
    'project_members',
    'agents',
    'api_keys',
    'deployments',
    'deployment_events',
    'commands',
    'runs',
    'run_events',
    'schedules',
    'budgets',
    'webhooks',
    'leads',
    'agent_logs',
    'agent_metrics',
  ];
  const [row] = await service.database.query(
    `SELECT ${tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ')}`,
  );
  return row;
}

const records = async () =>
  service.database.query<{ row: string }>(
    `SELECT encode(sealed_reply, 'escape') || encode(key_hash, 'escape') || encode(fingerprint, 'escape') AS row
     FROM idempotency_records`,
  );

describe('Idempotency-Key', () => {
  it('is accepted by every route that creates, by deploy, stop, restart and scale, and by logs and metrics', () => {
    const honours = operations
      .filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'))
      // A claim is repeated for as long as the agent has its runs, whatever else it says: its own suite.
      .filter(({ id }) => id !== 'claimRuns')
      .map(({ id }) => id);
    const creates = operations
      .filter(({ method, responses }) => method === 'POST' && '201' in responses)
      // A question has a key of its own in its body, for ever: its own suite.
      .filter(({ id }) => id !== 'askApproval');
    const actions = [
      'deployAgent',
      'stopAgent',
      'restartDeployment',
      'restartDeploymentRolling',
      'scaleDeployment',
    ];
    const telemetry = ['submitLogs', 'submitMetrics', 'exportLogs', 'exportMetrics'];
    expect(honours).toEqual(
      expect.arrayContaining([...creates.map(({ id }) => id), ...actions, ...telemetry]),
    );
    expect(Object.keys(calls).sort()).toEqual(honours.sort());
  });

  describe.each(Object.keys(calls))('of %s', (id) => {
    let call: KeyedCall;
    let key: string;
    let first: ApiReply<any>;

    beforeAll(async () => {
      call = await calls[id]!();
      key = newKey();
      first = await post(call, key);
    });

    it('replays the status and body without a second effect', async () => {
      expect([200, 201]).toContain(first.status);
      expect(replayed(first)).toBeNull();
      const before = await amounts();
      const second = await post(call, key);
      expect([second.status, second.body, replayed(second)]).toEqual([first.status, first.body, 'true']);
      expect(await amounts()).toEqual(before);
    });

    it('is refused with another body and on another route', async () => {
      const before = await amounts();
      // OTLP has one status for all invalid requests.
      const refusal = call.path.startsWith('/otlp/') ? 400 : 422;
      if (call.otherBody) expectError(await post(call, key, call.otherBody), refusal, KEY_USED);
      const otherRoute = await elsewhere(id, call);
      const sameCaller = call.as === service.api ? { ...otherRoute.body, ...emailOf(call) } : otherRoute.body;
      expectError(await post(otherRoute, key, sameCaller), 422, KEY_USED);
      expect(await amounts()).toEqual(before);
    });

    it('stores no secret of the reply in clear text', async () => {
      const secrets = Object.entries(first.body)
        .filter(([name]) => /key$|token$|secret/.test(name))
        .map(([, value]) => String(value));
      const expected = /^(register|create(Agent|ApiKey|Webhook)|rotate)/.test(id) ? 1 : 0;
      expect(secrets.length).toBeGreaterThanOrEqual(expected);
      for (const { row } of await records()) {
        for (const secret of [...secrets, first.body.id ?? key, key]) {
          expect(row).not.toContain(secret);
          expect(row).not.toContain(Buffer.from(secret).toString('base64').slice(0, -3));
        }
      }
    });
  });

  it("belongs to one caller: not to another user, nor to the user's agent", async () => {
    const key = newKey();
    const agent = belongings.agent.runtime;
    const replies = [];
    for (const as of [
      person.api,
      other.api,
      agent,
      service.api.as((await person.api.post('/api-keys', { name: 'k' })).body.key),
    ]) {
      replies.push(await post({ as, path: '/agents/register', otherBody: {} }, key, {}));
    }
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // One person is one caller, with any credential.
    expect(replies.map(replayed)).toEqual([null, null, null, 'true']);
    expect(new Set(replies.map(({ body }) => body.agent_id)).size).toBe(3);
    expect(replies[2]?.body.agent_id).toBe(belongings.agent.id);
  });

  it('belongs to one person on a public route, also behind a shared address', async () => {
    const key = newKey();
    for (const id of ['registerUser', 'createLead']) {
      const [one, two] = [await calls[id]!(), await calls[id]!()];
      const replies = [await post(one, `${id} ${key}`), await post(two, `${id} ${key}`)];
      expect(replies.map(({ status }) => status)).toEqual([201, 201]);
      expect(replies.map(replayed)).toEqual([null, null]);
      expect(replayed(await post(one, `${id} ${key}`))).toBe('true');
    }
  });

  it('stores nothing of a refused request', async () => {
    const key = newKey();
    const before = await records();
    const deployments: KeyedCall = { as: person.api, path: '/deployments', otherBody: {} };
    expectError(await post(deployments, key, {}), 422);
    expectError(await post(deployments, key, { agent_id: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' }), 404);
    expectError(await service.api.post('/deployments', {}, { headers: { 'Idempotency-Key': key } }), 401);
    expectError(
      await person.api.post('/agents', undefined, { raw: '{', headers: { 'Idempotency-Key': key } }),
      400,
    );
    expect(await records()).toHaveLength(before.length);
    expect((await post(deployments, key, { agent_id: belongings.agent.id })).status).toBe(201);
  });

  it.each(['', 'x'.repeat(256), 'tab\there', 'é'])('of %j is refused', async (key) => {
    const headers = { 'Idempotency-Key': Buffer.from(key).toString('latin1') };
    expectError(await person.api.post('/agents', {}, { headers }), 422, /^Idempotency-Key must be/);
  });

  it.each(['x', 'x'.repeat(255), '{"a": [1]}', "' OR 1=1 --", '../..'])('of %j is accepted', async (key) => {
    const headers = { 'Idempotency-Key': key };
    const first = await person.api.post('/agents', {}, { headers });
    expect(first.status).toBe(201);
    expect((await person.api.post('/agents', {}, { headers })).body).toEqual(first.body);
  });

  it('is ignored by routes that do not support it', async () => {
    const headers = { 'Idempotency-Key': 'x'.repeat(300) };
    expect((await person.api.get('/agents', { headers })).status).toBe(200);
    expect((await belongings.agent.runtime.post('/agents/heartbeat', {}, { headers })).status).toBe(200);
  });

  it('can be used again after 24 hours', async () => {
    const call = await calls.createAgent!();
    const key = newKey();
    const first = await post(call, key);
    const [kept] = await service.database.query<{ hours: number }>(
      `SELECT extract(epoch FROM max(expires_at) - now()) / 3600 AS hours FROM idempotency_records`,
    );
    expect(Number(kept?.hours)).toBeCloseTo(24, 1);
    await service.database.query(`UPDATE idempotency_records SET expires_at = now()`);
    const before = await records();
    const second = await post(call, key, call.otherBody);
    expect([second.status, replayed(second), second.body.name]).toEqual([201, null, 'b']);
    expect(second.body.id).not.toBe(first.body.id);
    expect(await records()).toHaveLength(before.length);
    expect(replayed(await post(call, key, call.otherBody))).toBe('true');
  });
});
