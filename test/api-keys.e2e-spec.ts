import { jest } from '@jest/globals';
import { ApiKeysRepository } from '../src/api-keys/api-keys.repository.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;
const FIELDS = [
  'id',
  'name',
  'key_prefix',
  'project_id',
  'role',
  'agent_id',
  'scopes',
  'everybody',
  'is_active',
  'last_used_at',
  'expires_at',
  'created_at',
];

let service: TestApp;
let person: Person;
let stranger: Person;
let agent: TestAgent;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
  stranger = await registerPerson(service);
  agent = await createAgent(service, person);
});

afterAll(() => service.close());

async function make(body: object = {}, owner = person): Promise<any> {
  const reply = await owner.api.post('/api-keys', { name: 'a key', ...body });
  expect(reply.status).toBe(201);
  return reply.body;
}

/** The key's record in its owner's list. */
async function listed(id: string, owner = person): Promise<any> {
  const { body } = await owner.api.get('/api-keys?limit=100');
  return body.find((record: { id: string }) => record.id === id);
}

const statusWith = async (key: string, path = '/agents') => (await service.api.as(key).get(path)).status;

describe('POST /api-keys', () => {
  it('creates a user key, which is never returned again', async () => {
    const { key, ...record } = await make({ name: ' nightly ' });
    expect(Object.keys(record)).toEqual(FIELDS);
    expect(record).toMatchObject({
      name: 'nightly',
      key_prefix: key.slice(0, 'svc_user_'.length + 8),
      agent_id: null,
      is_active: true,
      last_used_at: null,
      expires_at: null,
    });
    expect(key).toMatch(/^svc_user_[\w-]{73}$/);
    expect(await statusWith(key)).toBe(200);
    const list = await person.api.get('/api-keys');
    expect(list.body[0]).toEqual({ ...record, last_used_at: list.body[0].last_used_at });
    expect(JSON.stringify(list.body)).not.toContain(key.slice(31, -8));
  });

  it('creates another key of an agent, for the runtime routes only', async () => {
    const { key, ...record } = await make({ agent_id: agent.id.toUpperCase() });
    expect(record.agent_id).toBe(agent.id);
    expect(key).toMatch(/^svc_agent_[\w-]{73}$/);
    const reply = await service.api.as(key).post('/agents/heartbeat', {});
    expect([reply.status, reply.body.agent_id]).toEqual([200, agent.id]);
    expect(await statusWith(key)).toBe(401);
    expect(await statusWith(agent.key, '/agents/commands')).toBe(200);
  });

  it('creates a key with an expiry', async () => {
    for (const days of [1, 365]) {
      const { id, created_at, expires_at } = await make({ expires_in_days: days });
      const life = Date.parse(expires_at) - Date.parse(created_at);
      expect(Math.abs(life - days * DAY_MS)).toBeLessThan(60_000);
      expect((await listed(id)).expires_at).toBe(expires_at);
    }
    expect(await make({ agent_id: null, expires_in_days: null })).toMatchObject({
      agent_id: null,
      expires_at: null,
    });
  });

  it.each<[object, RegExp]>([
    [{ name: undefined }, /^name must be/],
    [{ name: '' }, /^name must be longer than or equal to 1/],
    [{ name: '   ' }, /^name must be longer than or equal to 1/],
    [{ name: 'x'.repeat(201) }, /^name must be shorter than or equal to 200/],
    [{ name: 1 }, /^name must be/],
    [{ agent_id: 'x' }, /^agent_id must be a UUID/],
    [{ expires_in_days: 0 }, /^expires_in_days must be a whole number from 1 to 365$/],
    [{ expires_in_days: 366 }, /^expires_in_days must be a whole number from 1 to 365$/],
    [{ expires_in_days: 1.5 }, /^expires_in_days must be a whole number from 1 to 365$/],
    [{ expires_in_days: '30' }, /^expires_in_days must be a whole number from 1 to 365$/],
    [{ user_id: UNKNOWN }, /^property user_id should not exist$/],
  ])('refuses the body %j', async (body, message) => {
    expectError(await person.api.post('/api-keys', { name: 'a key', ...body }), 422, message);
  });

  it("returns 404 for an unknown agent or another user's agent", async () => {
    const [foreign, gone] = [await createAgent(service, stranger), await createAgent(service, person)];
    await person.api.delete(`/agents/${gone.id}`);
    for (const agent_id of [foreign.id, gone.id, UNKNOWN]) {
      expectError(await person.api.post('/api-keys', { name: 'x', agent_id }), 404, 'Agent not found');
    }
  });

  it('creates one key under an Idempotency-Key and returns the same key again', async () => {
    const send = () =>
      person.api.post('/api-keys', { name: 'once' }, { headers: { 'idempotency-key': 'make-one' } });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(await statusWith(again.body.key)).toBe(200);
  });

  it('creates no key for an agent that is deleted at the same time', async () => {
    const doomed = await createAgent(service, person);
    const rotated = await make({ agent_id: doomed.id });
    const replies = await Promise.all([
      ...Array.from({ length: 6 }, () => person.api.post('/api-keys', { name: 'late', agent_id: doomed.id })),
      person.api.post(`/api-keys/${rotated.id}/rotate`),
      person.api.delete(`/agents/${doomed.id}`),
    ]);
    expect(replies.at(-1)!.status).toBe(204);
    const rows = await service.database.query('SELECT id FROM api_keys WHERE agent_id = $1', [doomed.id]);
    expect(rows).toEqual([]);
    for (const { status, body } of replies.slice(0, -1)) {
      expect([200, 201, 404]).toContain(status);
      if (status !== 404) expect(await statusWith(body.key, '/agents/commands')).toBe(401);
    }
  });
});

describe('GET /api-keys', () => {
  it("returns the caller's keys only, newest first", async () => {
    const owner = await registerPerson(service);
    const ownAgent = await createAgent(service, owner);
    const made = [await make({}, owner), await make({ agent_id: ownAgent.id }, owner)];
    const list = (await owner.api.get('/api-keys?include_total=true')) as any;
    expect(list.headers.get('x-total-count')).toBe('3');
    expect(list.body.map(({ id }: any) => id).slice(0, 2)).toEqual([made[1].id, made[0].id]);
    expect(list.body[2]).toMatchObject({ agent_id: ownAgent.id, name: expect.stringMatching(/first key$/) });
    for (const record of list.body) expect(Object.keys(record)).toEqual(FIELDS);
    const ids = (await stranger.api.get('/api-keys?limit=100')).body.map(({ id }: any) => id);
    expect(ids).not.toContain(made[0].id);
  });

  it('filters by agent, by user keys and by agent keys', async () => {
    const owner = await registerPerson(service);
    const [one, other] = [await createAgent(service, owner), await createAgent(service, owner)];
    const own = await make({}, owner);
    const ofAgents = async (query: string) =>
      (await owner.api.get(`/api-keys?${query}`)).body.map((record: any) => record.agent_id);
    expect(await ofAgents('kind=user')).toEqual([own.agent_id]);
    expect(await ofAgents('kind=agent')).toEqual([other.id, one.id]);
    expect(await ofAgents(`agent_id=${one.id}`)).toEqual([one.id]);
    expect(await ofAgents(`agent_id=${one.id}&kind=user`)).toEqual([]);
    expect(await ofAgents(`agent_id=${agent.id}`)).toEqual([]);
    const message = 'kind must be one of the following values: user, agent';
    expectError(await owner.api.get('/api-keys?kind=all'), 422, message);
  });

  it('leaves out the keys of a deleted agent', async () => {
    const doomed = await createAgent(service, person);
    const { id } = await make({ agent_id: doomed.id });
    expect(await listed(id)).toBeDefined();
    await person.api.delete(`/agents/${doomed.id}`);
    expect(await listed(id)).toBeUndefined();
    expectError(await person.api.delete(`/api-keys/${id}`), 404, 'API key not found');
    expectError(await person.api.post(`/api-keys/${id}/rotate`), 404, 'API key not found');
  });

  it('returns the last use of a key, and whether the key has expired', async () => {
    const { id, key } = await make({ expires_in_days: 1 });
    await statusWith(key);
    await until(async () => (await listed(id)).last_used_at !== null);
    await service.database.query(
      "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    expect((await listed(id)).is_active).toBe(false);
  });
});

describe('Revoking a key', () => {
  it('refuses the key from then on and keeps its record', async () => {
    const { id, key } = await make();
    expect(await statusWith(key)).toBe(200);
    for (let again = 0; again < 2; again++) {
      const reply = await person.api.delete(`/api-keys/${id}`);
      expect([reply.status, reply.body]).toEqual([204, '']);
      expect(await statusWith(key)).toBe(401);
    }
    expect(await listed(id)).toMatchObject({ id, is_active: false, expires_at: null });
  });

  it("returns 404 for another user's key and an unknown key, and 422 for a malformed id", async () => {
    const { id, key } = await make();
    expectError(await stranger.api.delete(`/api-keys/${id}`), 404, 'API key not found');
    expectError(await person.api.delete(`/api-keys/${UNKNOWN}`), 404, 'API key not found');
    expectError(await person.api.delete('/api-keys/x'), 422, 'key_id must be a UUID');
    expect(await statusWith(key)).toBe(200);
  });
});

describe('The database look-up of a key', () => {
  const lookups = (of: TestApp) => jest.spyOn(of.app.get(ApiKeysRepository), 'findStored');

  it('is skipped for a key with a wrong checksum', async () => {
    const { key } = await make();
    const spy = lookups(service);
    try {
      for (let at = 0; at < key.length; at += 9) {
        const typo = key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1);
        expect(await statusWith(typo)).toBe(401);
        expect(await statusWith(typo, '/agents/commands')).toBe(401);
      }
      expect(spy).not.toHaveBeenCalled();
    } finally {
      spy.mockRestore();
    }
  });

  it.each([
    ['is used all the time', false],
    ['is refused all the time', true],
  ])('is rare for a key that %s', async (_, isUnknown) => {
    const { id, key } = await make();
    if (isUnknown) await service.database.query('DELETE FROM api_keys WHERE id = $1', [id]);
    const spy = lookups(service);
    try {
      // A busy machine may not trust its cache for a moment, and then queries the database.
      await until(async () => {
        spy.mockClear();
        for (let count = 0; count < 20; count++) {
          expect(await statusWith(key)).toBe(isUnknown ? 401 : 200);
        }
        return spy.mock.calls.length === 0;
      });
    } finally {
      spy.mockRestore();
    }
  });
});

describe('The revocation of a key in use', () => {
  it('takes effect on another instance within a second', async () => {
    const { id, key } = await make();
    const other = await startTestApp({ database: service.database });
    const caller = other.api.as(key);
    const refused: boolean[] = [];
    const refusedAfterRefusal: boolean[] = [];
    /**
     * Replies to requests that were sent more than a second after the revocation, the time that the service may take.
     */
    const refusedWhenLate: boolean[] = [];
    let revokedAt = Infinity;
    let stop = false;
    const traffic = Array.from({ length: 4 }, async () => {
      while (!stop) {
        const sentAfterRefusal = refused.includes(true);
        const sentLate = performance.now() - revokedAt > 1_000;
        const isRefused = (await caller.get('/agents')).status === 401;
        refused.push(isRefused);
        if (sentAfterRefusal) refusedAfterRefusal.push(isRefused);
        if (sentLate) refusedWhenLate.push(isRefused);
      }
    });
    try {
      await until(() => refused.length >= 40);
      expect(refused).not.toContain(true);
      await person.api.delete(`/api-keys/${id}`);
      revokedAt = performance.now();
      await until(() => refused.includes(true));
      await until(() => refusedAfterRefusal.length >= 40);
      expect(refusedAfterRefusal).not.toContain(false);
      expect(refusedWhenLate).not.toContain(false);
    } finally {
      stop = true;
      await Promise.all(traffic);
      await other.close();
    }
  });
});
