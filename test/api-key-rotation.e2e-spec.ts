import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const REFUSED = "A key that was revoked or rotated, or has expired, can't be rotated";

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

async function make(body: object = {}): Promise<any> {
  return (await person.api.post('/api-keys', { name: 'a key', ...body })).body;
}

async function rotate(id: string, body?: object): Promise<any> {
  const reply = await person.api.post(`/api-keys/${id}/rotate`, body);
  expect(reply.status).toBe(200);
  return reply.body;
}

async function listed(id: string): Promise<any> {
  const { body } = await person.api.get('/api-keys?limit=100');
  return body.find((record: { id: string }) => record.id === id);
}

const statusWith = async (key: string, path = '/agents') => (await service.api.as(key).get(path)).status;

/** Moves the key's times into the past. */
async function letPass(id: string, time: string): Promise<void> {
  await service.database.query(
    `UPDATE api_keys SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval,
       revoked_at = revoked_at - $2::interval WHERE id = $1`,
    [id, time],
  );
}

it('A rotation replaces a key, and the old key is refused at once', async () => {
  const old = await make({ name: 'nightly' });
  expect(await statusWith(old.key)).toBe(200);
  const { key, ...record } = await rotate(old.id);
  expect(Object.keys(record)).toEqual(Object.keys(old).filter((name) => name !== 'key'));
  expect(record).toMatchObject({ name: 'nightly', agent_id: null, is_active: true, expires_at: null });
  expect([record.id, key, record.key_prefix]).not.toEqual([old.id, old.key, old.key_prefix]);
  expect([await statusWith(old.key), await statusWith(key)]).toEqual([401, 200]);
  expect((await listed(old.id)).is_active).toBe(false);
  expect((await listed(record.id)).is_active).toBe(true);
});

it("A rotation keeps an agent's key with its agent", async () => {
  const agent = await createAgent(service, person);
  const first = (await person.api.get('/api-keys')).body[0];
  expect(first.agent_id).toBe(agent.id);
  const { key, agent_id } = await rotate(first.id);
  expect(agent_id).toBe(agent.id);
  expect(await statusWith(agent.key, '/agents/commands')).toBe(401);
  expect(await statusWith(key, '/agents/commands')).toBe(200);
});

it('A rotation with a grace period accepts both keys during that period', async () => {
  const old = await make();
  const { key } = await rotate(old.id, { grace_period_seconds: 600 });
  expect([await statusWith(old.key), await statusWith(key)]).toEqual([200, 200]);
});

it('A rotated key is refused after its grace period even when it is cached', async () => {
  const old = await make();
  const { key } = await rotate(old.id, { grace_period_seconds: 1 });
  await until(async () => (await statusWith(old.key)) === 401);
  expect(await statusWith(key)).toBe(200);
  expect((await listed(old.id)).is_active).toBe(false);
});

it('The list shows when the grace period of a rotated key ends', async () => {
  const old = await make({ expires_in_days: 30 });
  const before = Date.now();
  await rotate(old.id, { grace_period_seconds: 86_400 });
  const { is_active, expires_at } = await listed(old.id);
  expect(is_active).toBe(true);
  const end = Date.parse(expires_at);
  expect(Math.abs(end - before - 86_400_000)).toBeLessThan(60_000);
});

it('A grace period never outlasts the expiry of the old key', async () => {
  const old = await make({ expires_in_days: 1 });
  await letPass(old.id, '23 hours');
  const { expires_at: end } = await listed(old.id);
  await rotate(old.id, { grace_period_seconds: 86_400 });
  expect((await listed(old.id)).expires_at).toBe(end);
});

it('A rotated key gets the same lifetime as the old key', async () => {
  const old = await make({ expires_in_days: 30 });
  await letPass(old.id, '29 days');
  const { created_at, expires_at } = await rotate(old.id, { grace_period_seconds: 60 });
  const life = Date.parse(expires_at) - Date.parse(created_at);
  expect(Math.abs(life - 30 * 86_400_000)).toBeLessThan(60_000);
});

it('A rotation is refused for a key that is revoked, rotated or expired', async () => {
  const [revoked, stopped, inGrace, expired] = [
    await make(),
    await make(),
    await make(),
    await make({ expires_in_days: 1 }),
  ];
  await person.api.delete(`/api-keys/${revoked.id}`);
  await rotate(stopped.id);
  await rotate(inGrace.id, { grace_period_seconds: 600 });
  await letPass(expired.id, '2 days');
  for (const { id } of [revoked, stopped, inGrace, expired]) {
    expectError(await person.api.post(`/api-keys/${id}/rotate`), 409, REFUSED);
  }
  expect(await statusWith(inGrace.key)).toBe(200);
});

it('A revocation ends the grace period of a rotated key', async () => {
  const old = await make();
  const { key } = await rotate(old.id, { grace_period_seconds: 600 });
  expect((await person.api.delete(`/api-keys/${old.id}`)).status).toBe(204);
  expect([await statusWith(old.key), await statusWith(key)]).toEqual([401, 200]);
});

it.each([{}, { grace_period_seconds: 600 }])(
  'One of several racing rotations succeeds, with the body %j',
  async (body) => {
    const old = await make();
    const before = (await person.api.get('/api-keys?include_total=true')).headers.get('x-total-count');
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => person.api.post(`/api-keys/${old.id}/rotate`, body)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const after = (await person.api.get('/api-keys?include_total=true')).headers.get('x-total-count');
    expect(Number(after)).toBe(Number(before) + 1);
  },
);

it('A rotation under an Idempotency-Key returns the same new key again and stores it encrypted', async () => {
  const { id } = await make();
  const send = () =>
    person.api.post(`/api-keys/${id}/rotate`, {}, { headers: { 'idempotency-key': 'rotate-one' } });
  const [first, again] = [await send(), await send()];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  const [{ kept }] = (await service.database.query(
    "SELECT string_agg(encode(sealed_reply, 'escape'), '') AS kept FROM idempotency_records",
  )) as [{ kept: string }];
  expect(kept).not.toContain(first.body.key.slice(31, -8));
});

it.each<[object, RegExp]>([
  [{ grace_period_seconds: -1 }, /^grace_period_seconds must be a whole number from 0 to 86400$/],
  [{ grace_period_seconds: 86_401 }, /^grace_period_seconds must be a whole number from 0 to 86400$/],
  [{ grace_period_seconds: 1.5 }, /^grace_period_seconds must be a whole number from 0 to 86400$/],
  [{ grace_period_seconds: '60' }, /^grace_period_seconds must be a whole number from 0 to 86400$/],
  [{ name: 'x' }, /^property name should not exist$/],
])('A rotation refuses the body %j', async (body, message) => {
  const { id, key } = await make();
  expectError(await person.api.post(`/api-keys/${id}/rotate`, body), 422, message);
  expect(await statusWith(key)).toBe(200);
});

it("A rotation returns 404 for another user's key and an unknown key, and 422 for a malformed id", async () => {
  const stranger = await registerPerson(service);
  const { id, key } = await make();
  expectError(await stranger.api.post(`/api-keys/${id}/rotate`), 404, 'API key not found');
  expectError(await person.api.post(`/api-keys/${UNKNOWN}/rotate`), 404, 'API key not found');
  expectError(await person.api.post('/api-keys/x/rotate'), 422, 'key_id must be a UUID');
  expect(await statusWith(key)).toBe(200);
});

it('A rotation accepts an empty JSON body', async () => {
  const { id } = await make();
  const reply = await person.api.post(`/api-keys/${id}/rotate`, undefined, {
    headers: { 'content-type': 'application/json' },
  });
  expect(reply.status).toBe(200);
});
