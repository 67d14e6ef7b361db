import { jest } from '@jest/globals';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import type { ApiReply } from '../harness/api-client.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { expectError } from '../harness/error-shape.js';
import { replayed } from '../harness/idempotency-replies.js';
import { SlowLink } from '../harness/slow-link.js';
import { SmallDisk } from '../harness/small-disk.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';

/** Requests wait for a connection for seconds, and a busy machine takes long for all of them. */
jest.setTimeout(180_000);

/** The defaults of the service. */
const SETTINGS = { DATABASE_LOCK_TIMEOUT_SECONDS: '3' };
/** Only root may mount a file system, and not in every container. */
const canFillDisk = SmallDisk.isPossible;
/** Number of concurrent requests of each kind. */
const EACH = 6;
const KEYED = { headers: { 'Idempotency-Key': 'once' } };

let database: TestDatabase;
let disk: SmallDisk | undefined;
let link: SlowLink;
let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  database = await createTestDatabase();
  if (canFillDisk) disk = await SmallDisk.under(database);
  link = await SlowLink.start(database.target);
  app = await startTestApp({ database, target: { url: link.url }, settings: SETTINGS });
});

beforeEach(async () => {
  person = await registerPerson(app);
  agent = await createAgent(app, person, { name: 'first' });
});

afterEach(() => expectCleanAudit(database));

afterAll(async () => {
  await app.close();
  await link.close();
  await database.drop();
  await disk?.remove();
});

const names = async (): Promise<string[]> =>
  (await person.api.get('/agents?limit=100')).body.map(({ name }: { name: string }) => name);

/** A batch that needs new pages. */
const batch = {
  logs: Array.from({ length: 100 }, (_, index) => ({
    level: 'info',
    message: `${index}`.padEnd(4_000, 'x'),
  })),
};
/** Too long for a row: it needs separate pages. */
const config = JSON.stringify({ long: Array.from({ length: 20_000 }, (_, index) => index) });

async function storedLogs(): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM agent_logs WHERE agent_id IN (SELECT id FROM agents WHERE user_id = $1)',
    [person.id],
  );
  return row!.count;
}

describe('A database whose disk is full', () => {
  (canFillDisk ? it : it.skip)(
    'answers 503 to requests that need room, stores nothing partly, and accepts the same requests when there is room again',
    async () => {
      const ask = () => [
        person.api.post('/agents', { name: 'needs room', config }, KEYED),
        agent.runtime.post('/agents/logs', batch, KEYED),
      ];
      await disk!.fill(database);
      for (const reply of await Promise.all(ask())) expectError(reply, 503);
      // Requests that need no disk space still succeed.
      expect(await names()).toEqual(['first']);
      expect((await person.api.get(`/agents/${agent.id}`)).status).toBe(200);
      expect((await app.api.get('/ready')).status).toBe(200);
      expect(await storedLogs()).toBe(0);
      const kept = 'SELECT FROM idempotency_records UNION ALL SELECT FROM telemetry_batches';
      expect(await database.query(kept)).toEqual([]);
      expect(await database.query('SELECT FROM api_keys')).toHaveLength(1);

      await disk!.free(database);
      const replies = await Promise.all(ask());
      expect(replies.map((reply) => [reply.status, replayed(reply)])).toEqual([
        [201, null],
        [200, null],
      ]);
      expect(await names()).toEqual(['needs room', 'first']);
      expect(await storedLogs()).toBe(batch.logs.length);
    },
  );
});

describe('A service whose database is slow', () => {
  it('serves or returns 503 while each statement takes 200 ms longer, stores nothing of refused requests, and recovers', async () => {
    const agents: TestAgent[] = [agent];
    while (agents.length < EACH) agents.push(await createAgent(app, person, { name: 'other' }));
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

    // The same requests again: those with a key have no second effect, and none is refused any more.
    const again = (await Promise.all(everything())).flat();
    expect(again.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    expect((await names()).filter((name) => name.startsWith('keyed'))).toHaveLength(EACH);
  });
});
