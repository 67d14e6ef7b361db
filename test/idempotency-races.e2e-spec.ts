import { Client } from 'pg';
import { createAgent, obey } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import type { ApiClient, ApiReply } from './harness/api-client.js';
import { startChildService, urlOf } from './harness/child-service.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const RUNNING = 'A request with this Idempotency-Key is still running';
/** Of the advisory lock on which a transaction is held up. */
const GATE = 4_711;

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

let keys = 0;
const newKey = () => `key ${++keys}`;

const replayed = (reply: ApiReply<any>) => reply.headers.get('idempotency-replayed');

async function someoneWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await until(async () => (await service.database.query(waiting)).length > 0);
}

/** Runs `work` while a transaction of the test's own holds `lock`; `release` lets go before its end. */
async function whileHeld(lock: string, work: (release: () => Promise<void>) => Promise<void>): Promise<void> {
  const holder = new Client(service.database.target);
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    await work(async () => {
      await holder.query('COMMIT');
    });
  } finally {
    await holder.end();
  }
}

const createNamed = (api: ApiClient, name: string, key: string) =>
  api.post('/agents', { name }, { headers: { 'Idempotency-Key': key } });

async function agentsNamed(name: string): Promise<string[]> {
  const rows = await service.database.query<{ id: string }>('SELECT id FROM agents WHERE name = $1', [name]);
  return rows.map(({ id }) => id);
}

describe('The same key at the same time', () => {
  it('is a 409 while the first request runs', async () => {
    const agent = await createAgent(service, person);
    const key = newKey();
    const deploy = (body?: object) =>
      person.api.post(`/agents/${agent.id}/deploy`, body, { headers: { 'Idempotency-Key': key } });
    await whileHeld(`SELECT FROM agents WHERE id = '${agent.id}' FOR UPDATE`, async (release) => {
      const first = deploy();
      await someoneWaits();
      expectError(await deploy(), 409, RUNNING);
      expectError(await deploy({ replicas: 2 }), 409, RUNNING);
      expect((await createNamed(person.api, 'meanwhile', newKey())).status).toBe(201);
      await release();
      const { status, body } = await first;
      expect(status).toBe(200);
      const again = await deploy();
      expect([again.status, again.body, replayed(again)]).toEqual([200, body, 'true']);
    });
    expect(await obey(agent)).toEqual(['deploy']);
  });

  it('makes one of twenty', async () => {
    const key = newKey();
    const race = await Promise.all(Array.from({ length: 20 }, () => createNamed(person.api, 'raced', key)));
    const created = race.filter(({ status }) => status === 201);
    for (const reply of race.filter(({ status }) => status !== 201)) expectError(reply, 409, RUNNING);
    expect(created.filter((reply) => replayed(reply) === null)).toHaveLength(1);
    expect([...new Set(created.map(({ body }) => body.id))]).toEqual(await agentsNamed('raced'));
  });
});

describe('Who never got the answer', () => {
  it('finds what was made, after the connection was cut', async () => {
    const key = newKey();
    await whileHeld('LOCK TABLE agents IN EXCLUSIVE MODE', async (release) => {
      const cut = new AbortController();
      const lost = person.api.post(
        '/agents',
        { name: 'cut off' },
        { headers: { 'Idempotency-Key': key }, signal: cut.signal },
      );
      await someoneWaits();
      cut.abort();
      await expect(lost).rejects.toThrow();
      await release();
    });
    await until(async () => (await agentsNamed('cut off')).length > 0);
    const retry = await createNamed(person.api, 'cut off', key);
    expect([retry.status, replayed(retry)]).toEqual([201, 'true']);
    expect(await agentsNamed('cut off')).toEqual([retry.body.id]);
    expect((await service.api.as(retry.body.api_key).get('/agents/commands')).status).toBe(200);
  });

  it.each([
    { when: 'between the commit and the reply', timing: 'DEFERRABLE INITIALLY DEFERRED', kept: 1 },
    { when: 'before the commit', timing: 'NOT DEFERRABLE', kept: 0 },
  ])('makes one in all, after the service was killed $when', async ({ timing, kept }) => {
    const key = newKey();
    const name = `killed ${kept}`;
    const child = await startChildService({ DATABASE_URL: urlOf(service.database.target) });
    await until(async () => (await child.api.get('/ready')).status === 200);
    await service.database.query(
      `CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON agents ${timing}
         FOR EACH ROW EXECUTE FUNCTION pass_gate()`,
    );
    try {
      await whileHeld(`SELECT pg_advisory_xact_lock(${GATE})`, async (release) => {
        const lost = createNamed(child.api.as(person.accessToken), name, key);
        const failed = expect(lost).rejects.toThrow();
        await someoneWaits();
        // Stopped, it can't answer whatever the database does now.
        child.process.kill('SIGSTOP');
        await release();
        if (kept) await until(async () => (await agentsNamed(name)).length > 0);
        await child.end('SIGKILL');
        await failed;
      });
    } finally {
      await service.database.query('DROP FUNCTION pass_gate CASCADE');
    }
    expect(await agentsNamed(name)).toHaveLength(kept);
    // The database may not have noticed yet that the service is gone.
    const retry = await until(async () => {
      const reply = await createNamed(person.api, name, key);
      return reply.status !== 409 && reply;
    });
    expect([retry.status, replayed(retry)]).toEqual([201, kept ? 'true' : null]);
    expect(await agentsNamed(name)).toEqual([retry.body.id]);
    expect((await service.api.as(retry.body.api_key).get('/agents/commands')).status).toBe(200);
  });
});
