import { jest } from '@jest/globals';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import type { ApiReply } from '../harness/api-client.js';
import { expectError } from '../harness/error-shape.js';
import { replayed } from '../harness/idempotency-replies.js';
import { SlowLink } from '../harness/slow-link.js';
import { SmallDisk } from '../harness/small-disk.js';
import { createTestDatabase } from '../harness/test-database.js';
import { Instances } from './instances.js';

/** Requests that wait for a connection do so for seconds, and a busy machine takes long for all of them. */
jest.setTimeout(180_000);

const KEYED = { headers: { 'Idempotency-Key': 'once' } };

let instances: Instances;
let person: Person;
let agent: TestAgent;

async function begin(settings: Record<string, string> = {}, database = createTestDatabase()): Promise<void> {
  instances = await Instances.start(1, settings, await database);
  person = await registerPerson(instances.app());
  agent = await createAgent(instances.app(), person, { name: 'first' });
}

const names = async (): Promise<string[]> =>
  (await person.api.get('/agents?limit=100')).body.map(({ name }: { name: string }) => name);

/** A batch that needs new pages. */
const batch = {
  logs: Array.from({ length: 100 }, (_, index) => ({
    level: 'info',
    message: `${index}`.padEnd(4_000, 'x'),
  })),
};
/** Too long to be kept in a row: it needs pages of its own. */
const config = JSON.stringify({ long: Array.from({ length: 20_000 }, (_, index) => index) });

async function storedLogs(): Promise<number> {
  const [row] = await instances.database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM agent_logs',
  );
  return row!.count;
}

// only root may mount a file system, and not in every container
(SmallDisk.isPossible ? describe : describe.skip)('A database whose disk is full', () => {
  let disk: SmallDisk;

  beforeEach(async () => {
    const database = await createTestDatabase();
    disk = await SmallDisk.under(database);
    await begin({}, Promise.resolve(database));
  });

  afterEach(async () => {
    await instances.close();
    await disk.remove();
  });

  it('is a 503 to what needs room, keeps nothing half done, and takes the same requests when there is room', async () => {
    const ask = () => [
      person.api.post('/agents', { name: 'needs room', config }, KEYED),
      agent.runtime.post('/agents/logs', batch, KEYED),
    ];
    await disk.fill(instances.database);
    for (const reply of await Promise.all(ask())) expectError(reply, 503);
    // What needs none goes on.
    expect(await names()).toEqual(['first']);
    expect((await person.api.get(`/agents/${agent.id}`)).status).toBe(200);
    expect((await instances.first.api.get('/ready')).status).toBe(200);
    expect(await storedLogs()).toBe(0);
    const kept = 'SELECT FROM idempotency_records UNION ALL SELECT FROM telemetry_batches';
    expect(await instances.database.query(kept)).toEqual([]);
    expect(await instances.database.query('SELECT FROM api_keys')).toHaveLength(1);

    await disk.free(instances.database);
    const replies = await Promise.all(ask());
    expect(replies.map((reply) => [reply.status, replayed(reply)])).toEqual([
      [201, null],
      [200, null],
    ]);
    expect(await names()).toEqual(['needs room', 'first']);
    expect(await storedLogs()).toBe(batch.logs.length);
  });
});

describe('A database that is slow', () => {
  let link: SlowLink;

  beforeEach(async () => {
    const database = await createTestDatabase();
    link = await SlowLink.start(database.target);
    await begin({ DATABASE_URL: link.url }, Promise.resolve(database));
  });

  afterEach(async () => {
    await instances.close();
    await link.close();
  });

  it('by 200 ms a statement serves or answers 503, does nothing that it refused, and recovers', async () => {
    const agents: TestAgent[] = [agent];
    while (agents.length < 10) agents.push(await createAgent(instances.app(), person, { name: 'other' }));
    const rounds: ((index: number) => Promise<ApiReply<any>>)[] = [
      (index) => person.api.post('/agents', { name: `plain ${index}` }),
      (index) =>
        person.api.post(
          '/agents',
          { name: `keyed ${index}` },
          { headers: { 'Idempotency-Key': `${index}` } },
        ),
      (index) => person.api.post(`/agents/${agents[index]!.id}/deploy`),
      (index) => agents[index]!.runtime.post('/agents/heartbeat', { version: `${index}` }),
      (index) => agents[index]!.runtime.post('/agents/logs', { level: 'info', message: `line ${index}` }),
      () => person.api.get('/agents'),
    ];
    const everything = () => rounds.map((send) => Promise.all(agents.map((_, index) => send(index))));
    link.slowDown(200);
    const [plain, keyed, deploys, beats, logs, reads] = await Promise.all(everything());
    for (const reply of [plain!, keyed!, deploys!, beats!, logs!, reads!].flat()) {
      if (reply.status === 503) expectError(reply, 503);
      else expect([200, 201]).toContain(reply.status);
    }
    link.slowDown(0);
    const done = (replies: ApiReply<any>[]) => replies.filter(({ status }) => status < 300);
    const made = [...done(plain!), ...done(keyed!)].map(({ body }) => body.name as string);
    expect((await names()).filter((name) => /plain|keyed/.test(name)).sort()).toEqual(made.sort());
    expect((await person.api.get('/deployments?limit=100')).body).toHaveLength(done(deploys!).length);
    expect(await storedLogs()).toBe(done(logs!).length);

    // The same again: what was done under a key is not done twice, and nothing is refused any more.
    const again = (await Promise.all(everything())).flat();
    expect(again.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    expect((await names()).filter((name) => name.startsWith('keyed'))).toHaveLength(10);
  });
});
