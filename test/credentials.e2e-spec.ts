import { crc32 } from 'node:zlib';
import { jest } from '@jest/globals';
import { ApiKeysRepository } from '../src/api-keys/api-keys.repository.js';
import { ApiKeysService } from '../src/api-keys/api-keys.service.js';
import { Database } from '../src/database/database.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, principalOf, registerOperator, registerPerson } from './builders/people.js';
import { type ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { withinASecond } from './harness/within-a-second.js';

let service: TestApp;
let operator: Person;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  service = await startTestApp();
  operator = await registerOperator(service);
  person = await registerPerson(service);
  agent = await createAgent(service, person);
});

afterAll(() => service.close());

function expectUnauthenticated(reply: ApiReply<any>): void {
  expect([reply.status, reply.body.message]).toEqual([401, 'Invalid or expired token']);
  expect(reply.headers.get('www-authenticate')).toBe('Bearer');
}

/** A key of the person, or of their agent, created without the routes. */
async function issueKey(order: { userId?: string; agentId?: string; expiresAt?: Date } = {}) {
  const { userId = person.id, agentId = null, expiresAt } = order;
  return service.app.get(Database).people.transaction((tx) =>
    service.app.get(ApiKeysService).issue(tx, {
      projectId: userId,
      createdBy: userId,
      agentId,
      name: 'a key',
      expiresAt: expiresAt?.toISOString(),
    }),
  );
}

describe('A credential', () => {
  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['an empty key', { 'x-api-key': '' }],
    ['something that is no key', { 'x-api-key': 'svc_user_nonsense' }],
  ])('is refused when invalid: %s', async (_, headers) => {
    expectUnauthenticated(await service.api.get('/agents', { headers }));
    expectUnauthenticated(await service.api.get('/agents/commands', { headers }));
    expectUnauthenticated(await service.api.post('/agents/register', {}, { headers }));
  });

  it('is accepted as an access token only with the scheme Bearer', async () => {
    expectUnauthenticated(await service.api.get('/agents', { headers: { 'x-api-key': person.accessToken } }));
    expect((await person.api.get('/agents')).status).toBe(200);
  });
});

describe('A user API key', () => {
  const byHeader = (key: string) => ({ headers: { 'x-api-key': key } });

  it('opens user routes in the Authorization header and in X-API-Key', async () => {
    const { key, record } = await issueKey();
    for (const reply of [
      await service.api.as(key).get('/agents'),
      await service.api.get('/agents', byHeader(key)),
    ]) {
      expect(reply.status).toBe(200);
      expect(reply.body.map(({ id }: { id: string }) => id)).toEqual([agent.id]);
    }
    expect(key.startsWith(record.keyPrefix)).toBe(true);
  });

  it('opens no route that requires a token', async () => {
    const { key } = await issueKey();
    for (const api of [service.api.as(key), service.api]) {
      const options = byHeader(key);
      expectUnauthenticated(await api.get('/auth/me', options));
      expectUnauthenticated(await api.post('/auth/logout', undefined, options));
      expectUnauthenticated(await api.get('/users', options));
      expectUnauthenticated(await api.patch(`/users/${person.id}`, { is_active: true }, options));
    }
  });

  it('opens no runtime route', async () => {
    const { key } = await issueKey();
    expectUnauthenticated(await service.api.as(key).get('/agents/commands'));
    expectUnauthenticated(await service.api.as(key).post('/agents/heartbeat', {}));
  });

  it('is stored as a hash only', async () => {
    const { key, record } = await issueKey();
    const [row] = await service.database.query<{ row: string; bytes: number }>(
      'SELECT api_keys::text AS row, length(secret_hash) AS bytes FROM api_keys WHERE id = $1',
      [record.id],
    );
    expect(row?.bytes).toBe(32);
    const secret = key.slice(-51, -8);
    expect(row?.row).not.toContain(secret);
    expect(row?.row).not.toContain(Buffer.from(secret).toString('hex'));
  });

  it("is refused with a typo, with another key's secret and with an unknown identifier", async () => {
    const [{ key }, { key: other }] = [await issueKey(), await issueKey()];
    const typo = key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expectUnauthenticated(await service.api.as(typo).get('/agents'));
    const checked = (body: string) => body + crc32(body).toString(16).padStart(8, '0');
    expectUnauthenticated(
      await service.api.as(checked(key.slice(0, 31) + other.slice(31, -8))).get('/agents'),
    );
    expectUnauthenticated(
      await service.api.as(checked(`svc_user_${'A'.repeat(22)}${key.slice(31, -8)}`)).get('/agents'),
    );
    const disguised = checked(key.replace('user', 'agent').slice(0, -8));
    expectUnauthenticated(await service.api.as(disguised).get('/agents/commands'));
    expect(
      await service.app.get(ApiKeysService).authenticate(disguised, () => principalOf(person).origin),
    ).toBeNull();
    expect((await service.api.as(checked(key.slice(0, -8))).get('/agents')).status).toBe(200);
  });

  it('is refused after its expiry even when it is cached', async () => {
    const statusOf = async (key: string) => (await service.api.as(key).get('/agents')).status;
    // A busy machine may need longer than its lifetime before its first use.
    const key = await until(async () => {
      const issued = await issueKey({ expiresAt: new Date(Date.now() + 1_000) });
      return (await statusOf(issued.key)) === 200 && issued.key;
    });
    await until(async () => (await statusOf(key)) === 401);
  });

  it('is refused once it is revoked', async () => {
    const { key, record } = await issueKey();
    await service.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [record.id]);
    expectUnauthenticated(await service.api.as(key).get('/agents'));
  });

  it('is refused while its user is deactivated and accepted again afterwards, on every instance', async () => {
    const leaver = await registerPerson(service);
    const { key } = await issueKey({ userId: leaver.id });
    const other = await startTestApp({ database: service.database });
    try {
      const there = other.api.as(key);
      expect((await there.get('/agents')).status).toBe(200);
      await operator.api.patch(`/users/${leaver.id}`, { is_active: false });
      const here = await service.api.as(key).get('/agents');
      expect([here.status, here.body.message]).toEqual([403, 'Account is deactivated']);
      await withinASecond(async () => (await there.get('/agents')).status === 403);
      await operator.api.patch(`/users/${leaver.id}`, { is_active: true });
      expect((await service.api.as(key).get('/agents')).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('has a last use to the minute, written once a minute for any number of requests', async () => {
    const { key, record } = await issueKey();
    const use = async () => expect((await service.api.as(key).get('/agents')).status).toBe(200);
    const lastUsedAt = async () => {
      const rows = await service.database.query<{ at: Date | null }>(
        'SELECT last_used_at AS at FROM api_keys WHERE id = $1',
        [record.id],
      );
      return rows[0]?.at?.getTime();
    };
    const touch = jest.spyOn(service.app.get(ApiKeysRepository), 'recordUse');
    const writes = () => touch.mock.calls.filter(([, ids]) => ids.includes(record.id)).length;
    // The clock of the process is stopped, so that no minute ends in between.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    try {
      expect(await lastUsedAt()).toBeUndefined();
      await use();
      const first = await until(lastUsedAt);
      expect(Math.abs(Date.now() - first)).toBeLessThan(60_000);
      await Promise.all(Array.from({ length: 10 }, use));
      expect(writes()).toBe(1);

      await service.database.query("UPDATE api_keys SET last_used_at = now() - interval '1 hour'");
      clock.mockReturnValue(Date.now() + 60_000);
      await use();
      await until(async () => Number(await lastUsedAt()) >= first);
      expect(writes()).toBe(2);
    } finally {
      clock.mockRestore();
      touch.mockRestore();
    }
  });

  it('has its last use recorded when the instance shuts down a moment later', async () => {
    const other = await startTestApp({ database: service.database });
    const keys = [await issueKey(), await issueKey()];
    try {
      // The second use waits for the next write.
      for (const { key } of keys) expect((await other.api.as(key).get('/agents')).status).toBe(200);
    } finally {
      await other.close();
    }
    const rows = await service.database.query(
      'SELECT FROM api_keys WHERE id = ANY ($1) AND last_used_at IS NOT NULL',
      [keys.map(({ record }) => record.id)],
    );
    expect(rows).toHaveLength(keys.length);
  });
});

describe('An agent API key', () => {
  it('opens the runtime routes of its agent and no user route', async () => {
    expect(agent.key).toMatch(/^svc_agent_[\w-]{73}$/);
    expect((await agent.runtime.get('/agents/commands')).status).toBe(200);
    expectUnauthenticated(await agent.runtime.get('/agents'));
    expectUnauthenticated(await agent.runtime.get(`/agents/${agent.id}`));
    expectUnauthenticated(await agent.runtime.get('/auth/me'));
    expectUnauthenticated(await agent.runtime.get('/users'));
  });

  it('is accepted only in the Authorization header', async () => {
    const headers = { 'x-api-key': agent.key };
    expectUnauthenticated(await service.api.get('/agents/commands', { headers }));
    expectUnauthenticated(await service.api.get('/agents', { headers }));
    expectUnauthenticated(await service.api.post('/agents/register', {}, { headers }));
  });

  it('is required on runtime routes, which refuse a token', async () => {
    expectUnauthenticated(await person.api.get('/agents/commands'));
    expectUnauthenticated(await person.api.post('/agents/heartbeat', {}));
  });

  it("updates its own agent on the route where a user's token creates one", async () => {
    const own = await agent.runtime.post('/agents/register', { hostname: 'host-1' });
    expect([own.status, own.body.agent_id, own.body.api_key]).toEqual([200, agent.id, undefined]);
    const { key } = await issueKey();
    const credentials: Record<string, string>[] = [
      { authorization: `Bearer ${person.accessToken}` },
      { 'x-api-key': key },
    ];
    for (const headers of credentials) {
      const enrolled = await service.api.post('/agents/register', {}, { headers });
      expect(enrolled.status).toBe(200);
      expect(enrolled.body.agent_id).not.toBe(agent.id);
      expect(enrolled.body.api_key).toMatch(/^svc_agent_/);
    }
    const unknown = agent.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expectUnauthenticated(await service.api.as(unknown).post('/agents/register', {}));
  });

  it('is refused within a second on every instance after its agent is deleted', async () => {
    const doomed = await createAgent(service, person);
    const other = await startTestApp({ database: service.database });
    try {
      const there = other.api.as(doomed.key);
      expect((await there.get('/agents/commands')).status).toBe(200);
      expect((await doomed.runtime.get('/agents/commands')).status).toBe(200);
      expect((await person.api.delete(`/agents/${doomed.id}`)).status).toBe(204);
      expectUnauthenticated(await doomed.runtime.get('/agents/commands'));
      await withinASecond(async () => (await there.get('/agents/commands')).status === 401);
    } finally {
      await other.close();
    }
  });
});
