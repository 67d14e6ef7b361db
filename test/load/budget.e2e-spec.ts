import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Belongings, BELONGINGS_SETTINGS, giveBelongings } from '../builders/belongings.js';
import { type KeyedCall, keyedCalls } from '../builders/keyed-calls.js';
import { type Person, registerOperator } from '../builders/people.js';
import type { ApiClient, ApiReply } from '../harness/api-client.js';
import { expectError } from '../harness/error-shape.js';
import { untilSomeoneWaits, whileHeld } from '../harness/held-lock.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

/** The minimum of the setting: each kind of work has one connection. */
const SMALLEST_POOLS = { DATABASE_POOL_SIZE: '4' };
/**
 * Number of concurrent requests. Two would reveal one that has a connection and waits for another one; the others wait
 * in the queue.
 */
const AT_ONCE = 12;

const STARTS = 60;

let service: TestApp;
let person: Person;
let belongings: Belongings;

beforeAll(async () => {
  service = await startTestApp({ settings: { ...BELONGINGS_SETTINGS, ...SMALLEST_POOLS } });
  person = await registerOperator(service);
  belongings = await giveBelongings(service, person);
});

afterAll(() => service.close());

const calls = keyedCalls(() => ({ service, person, belongings }));

let keys = 0;
const withKey = () => ({ headers: { 'Idempotency-Key': `key ${++keys}` } });
const post = ({ as, path, body }: KeyedCall, options: object) => as.post(path, body, options);

function countByStatus(replies: readonly ApiReply<any>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Operations that lock the rows of the next one, so that they run one after the other. */
const made = (id: string): Promise<KeyedCall[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, async () => calls[id]!()));

describe('Twelve concurrent requests with an Idempotency-Key each, with one connection for each kind of work,', () => {
  it.each(Object.keys(calls))('are all answered as they should be: %s', async (id) => {
    const all = await made(id);
    const options = all.map(withKey);
    const first = await Promise.all(all.map((call, index) => post(call, options[index]!)));
    const [status] = Object.keys(countByStatus(first));
    expect(['200', '201']).toContain(status);
    expect(countByStatus(first)).toEqual({ [status!]: AT_ONCE });
    const again = await Promise.all(all.map((call, index) => post(call, options[index]!)));
    expect(countByStatus(again)).toEqual({ [status!]: AT_ONCE });
    expect(again.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(again.map(() => 'true'));
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
  });

  it('are all answered, and so are heartbeats, when the requests are registrations', async () => {
    const agents = await Promise.all(Array.from({ length: STARTS }, () => createAgent(service, person)));
    const options = agents.map(withKey);
    const register = (agent: TestAgent, index: number) =>
      agent.runtime.post('/agents/register', { version: '1' }, options[index]);
    const starts = agents.map(register);
    const beats = Array.from({ length: 20 }, () => belongings.agent.runtime.post('/agents/heartbeat', {}));
    expect(countByStatus(await Promise.all(starts))).toEqual({ 200: STARTS });
    expect(countByStatus(await Promise.all(beats))).toEqual({ 200: 20 });
    const again = await Promise.all(agents.map(register));
    expect(again.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(again.map(() => 'true'));
    const [row] = await service.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM agents WHERE version = '1' AND status = 'running'`,
    );
    expect(row!.count).toBe(STARTS);
  });
});

describe('A row lock', () => {
  it("of the monitor on one agent's presence delays no other agent's heartbeat", async () => {
    const held = await createAgent(service, person);
    const other = await createAgent(service, person);
    const lock = `SELECT FROM agent_presence WHERE agent_id = '${held.id}' FOR UPDATE`;
    let late: Promise<ApiReply<any>> | undefined;
    await whileHeld(service.database, lock, async () => {
      late = held.runtime.post('/agents/heartbeat', {});
      for (let count = 0; count < 5; count++) {
        expect((await other.runtime.post('/agents/heartbeat', {})).status).toBe(200);
      }
    });
    expect((await late!).status).toBe(200);
  });

  it("for which one user's transitions wait delays no heartbeat, log or poll", async () => {
    const agents = await Promise.all(Array.from({ length: 20 }, () => createAgent(service, person)));
    const changed = `SELECT FROM agents WHERE id IN (${agents.map(({ id }) => `'${id}'`).join()}) FOR UPDATE`;
    let deployed: Promise<ApiReply<any>[]> | undefined;
    await whileHeld(service.database, changed, async () => {
      deployed = Promise.all(agents.map(({ id }) => person.api.post(`/agents/${id}/deploy`)));
      await untilSomeoneWaits(service.database);
      const { runtime } = belongings.agent;
      for (let count = 0; count < 5; count++) {
        expect((await runtime.post('/agents/heartbeat', {})).status).toBe(200);
        expect((await runtime.post('/agents/logs', { level: 'info', message: 'm' })).status).toBe(200);
        expect((await runtime.get('/agents/commands')).status).toBe(200);
      }
    });
    for (const reply of await deployed!) expect([200, 503]).toContain(reply.status);
  });

  it('on an agent delays its registration until the lock is released', async () => {
    const held = await createAgent(service, person);
    let late: Promise<ApiReply<any>> | undefined;
    await whileHeld(service.database, `SELECT FROM agents WHERE id = '${held.id}' FOR UPDATE`, async () => {
      late = held.runtime.post('/agents/register', {}, withKey());
      await untilSomeoneWaits(service.database);
    });
    expect((await late!).status).toBe(200);
  });
});

describe('A refused call', () => {
  it('counts as a sign of life of the runtime, so that its agent is not lost', async () => {
    const age = (id: string) =>
      service.database.query(
        `UPDATE agent_presence SET last_seen_at = now() - interval '1 hour' WHERE agent_id = $1`,
        [id],
      );
    const seenLately = async (id: string) => {
      const [row] = await service.database.query<{ lately: boolean }>(
        `SELECT last_seen_at > now() - interval '1 minute' AS lately FROM agent_presence WHERE agent_id = $1`,
        [id],
      );
      return row!.lately;
    };
    const refused: ((runtime: ApiClient) => Promise<ApiReply<any>>)[] = [
      (runtime) => runtime.request('POST', '/agents/heartbeat', { raw: '{"status":' }),
      (runtime) => runtime.post('/agents/logs', { level: 'none', message: 'm' }),
      (runtime) => runtime.post('/agents/logs', { level: 'info', message: 'x'.repeat(1_100_000) }),
      (runtime) => runtime.get('/agents/nothing/here'),
    ];
    const unseen = new Map<(typeof refused)[number], TestAgent>();
    for (const refuse of refused) {
      const agent = await createAgent(service, person);
      expect((await agent.runtime.post('/agents/heartbeat', {})).status).toBe(200);
      await age(agent.id);
      unseen.set(refuse, agent);
    }
    // A call within the last second is not recorded again.
    await until(async () => {
      for (const [refuse, { id, runtime }] of unseen) {
        const { status } = await refuse(runtime);
        expect(status).toBeGreaterThanOrEqual(400);
        if (await seenLately(id)) unseen.delete(refuse);
      }
      return unseen.size === 0;
    });
  });

  it('restarts the grace period of all agents if the runtime could not be identified', async () => {
    const bounded = await startTestApp({
      database: service.database,
      settings: { MAX_REQUESTS_IN_FLIGHT: '1' },
    });
    try {
      const [busy, unknown] = [await createAgent(service, person), await createAgent(service, person)];
      await deploy(person, busy);
      const deafness = async () => {
        const [row] = await service.database.query<{ deaf: boolean }>(
          `SELECT deaf_at > now() - interval '1 minute' AS deaf FROM service_deafness`,
        );
        return row!.deaf;
      };
      expect(await deafness()).toBe(false);
      const as = (agent: TestAgent) => bounded.api.as(agent.key);
      await whileHeld(service.database, `SELECT FROM agents WHERE id = '${busy.id}' FOR UPDATE`, async () => {
        const body = { command_id: '01920000-0000-7000-8000-000000000000', success: true };
        const held = as(busy).post('/agents/commands/acknowledge', body);
        void held.catch(() => undefined);
        await untilSomeoneWaits(service.database);
        expectError(await as(unknown).post('/agents/heartbeat', {}), 503);
        await until(deafness);
      });
    } finally {
      await bounded.close();
    }
  });
});
