import { createAgent, obey } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import type { ApiClient, ApiReply } from '../harness/api-client.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { expectError } from '../harness/error-shape.js';
import { untilSomeoneWaits, whileHeld } from '../harness/held-lock.js';
import { replayed } from '../harness/idempotency-replies.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

const RUNNING = 'A request with this Idempotency-Key is still in progress: try again later';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp({ settings: SEVERAL_CONNECTIONS });
  person = await registerPerson(service);
});

afterAll(async () => {
  await expectCleanAudit(service.database);
  await service.close();
});

let keys = 0;
const newKey = () => `key ${++keys}`;

/** The transaction of the first request may still be ending: its data is visible before its key is released. */
async function createOnceItIsOver(name: string, key: string): Promise<ApiReply<any>> {
  return until(async () => {
    const reply = await createNamed(person.api, name, key);
    return reply.status !== 409 && reply;
  });
}

const createNamed = (api: ApiClient, name: string, key: string) =>
  api.post('/agents', { name }, { headers: { 'Idempotency-Key': key } });

async function agentsNamed(name: string): Promise<string[]> {
  const rows = await service.database.query<{ id: string }>('SELECT id FROM agents WHERE name = $1', [name]);
  return rows.map(({ id }) => id);
}

describe('A second request with the same Idempotency-Key', () => {
  it('returns 409 while the first request runs', async () => {
    const agent = await createAgent(service, person);
    const key = newKey();
    const deploy = (body?: object) =>
      person.api.post(`/agents/${agent.id}/deploy`, body, { headers: { 'Idempotency-Key': key } });
    await whileHeld(
      service.database,
      `SELECT FROM agents WHERE id = '${agent.id}' FOR UPDATE`,
      async (release) => {
        const first = deploy();
        await untilSomeoneWaits(service.database);
        expectError(await deploy(), 409, RUNNING);
        expectError(await deploy({ replicas: 2 }), 409, RUNNING);
        expect((await createNamed(person.api, 'meanwhile', newKey())).status).toBe(201);
        await release();
        const { status, body } = await first;
        expect(status).toBe(200);
        const again = await deploy();
        expect([again.status, again.body, replayed(again)]).toEqual([200, body, 'true']);
      },
    );
    expect(await obey(agent)).toEqual(['deploy']);
  });

  it('creates no second resource, even if twenty requests arrive at the same moment', async () => {
    const key = newKey();
    const race = await Promise.all(Array.from({ length: 20 }, () => createNamed(person.api, 'raced', key)));
    const created = race.filter(({ status }) => status === 201);
    for (const reply of race.filter(({ status }) => status !== 201)) expectError(reply, 409, RUNNING);
    expect(created.filter((reply) => replayed(reply) === null)).toHaveLength(1);
    expect([...new Set(created.map(({ body }) => body.id))]).toEqual(await agentsNamed('raced'));
  });
});

describe('A retry after a lost reply', () => {
  it('returns the resource that the first request created before its connection was cut', async () => {
    const key = newKey();
    await whileHeld(service.database, 'LOCK TABLE agents IN EXCLUSIVE MODE', async (release) => {
      const cut = new AbortController();
      const lost = person.api.post(
        '/agents',
        { name: 'cut off' },
        { headers: { 'Idempotency-Key': key }, signal: cut.signal },
      );
      await untilSomeoneWaits(service.database);
      cut.abort();
      await expect(lost).rejects.toThrow();
      await release();
    });
    await until(async () => (await agentsNamed('cut off')).length > 0);
    const retry = await createOnceItIsOver('cut off', key);
    expect([retry.status, replayed(retry)]).toEqual([201, 'true']);
    expect(await agentsNamed('cut off')).toEqual([retry.body.id]);
    expect((await service.api.as(retry.body.api_key).get('/agents/commands')).status).toBe(200);
  });
});
