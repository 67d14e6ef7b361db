import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database.js';
import { LogsRepository } from '../../src/telemetry/logs.repository.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import type { ApiClient, ApiReply } from '../harness/api-client.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { expectError } from '../harness/error-shape.js';
import { untilSomeoneWaits, waitingForLocks, whileGated } from '../harness/held-lock.js';
import { KEY_USED, replayed } from '../harness/idempotency-replies.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

let app: TestApp;
let other: TestApp;
let person: Person;
let agent: TestAgent;
let keys = 0;
let key: string;

beforeAll(async () => {
  app = await startTestApp({ settings: SEVERAL_CONNECTIONS });
  other = await startTestApp({ database: app.database, settings: SEVERAL_CONNECTIONS });
  person = await registerPerson(app);
});
beforeEach(async () => {
  agent = await createAgent(app, person);
  key = `batch ${++keys}`;
});
afterAll(async () => {
  await expectCleanAudit(app.database);
  await other.close();
  await app.close();
});

/** A batch of three lines; another mark makes a different batch. */
const batch = (mark = 'x') => ({
  logs: [0, 1, 2].map((index) => ({ level: 'info', message: `${mark} ${index}` })),
});

const send = (as: ApiClient, body: object, under = key) =>
  as.post('/agents/logs', body, { headers: { 'Idempotency-Key': under } });

const onOther = () => other.api.as(agent.key);
const isFirst = (reply: ApiReply<any>) => reply.status === 200 && replayed(reply) === null;

/** The first words of the agent's stored lines. */
async function stored(of = agent): Promise<string[]> {
  const rows = await app.database.query<{ mark: string }>(
    `SELECT split_part(message, ' ', 1) AS mark FROM agent_logs WHERE agent_id = $1 ORDER BY mark`,
    [of.id],
  );
  return rows.map(({ mark }) => mark);
}

const keptKeys = () =>
  app.database.query('SELECT key_hash FROM telemetry_batches WHERE agent_id = $1', [agent.id]);

describe('The same batch, sent several times at the same moment,', () => {
  it('is stored once, on one instance and on two', async () => {
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send(index % 4 ? agent.runtime : onOther(), batch())),
    );
    expect(replies.map(({ status, body }) => [status, body.accepted])).toEqual(Array(40).fill([200, 3]));
    expect(replies.filter(isFirst)).toHaveLength(1);
    expect(await stored()).toEqual(['x', 'x', 'x']);
  });

  it('waits for the first request if that is still being stored', async () => {
    await whileGated(app.database, 'telemetry_batches', 'commit', async (open) => {
      const first = send(agent.runtime, batch());
      await untilSomeoneWaits(app.database);
      const again = send(onOther(), batch());
      const different = send(agent.runtime, batch('y'));
      await until(async () => (await waitingForLocks(app.database)) >= 3);
      await open();
      const replies = [await first, await again];
      expect(replies.map((reply) => [reply.status, replayed(reply)])).toEqual([
        [200, null],
        [200, 'true'],
      ]);
      expectError(await different, 422, KEY_USED);
    });
    expect(await stored()).toEqual(['x', 'x', 'x']);
  });

  it('is stored without a deadlock, among other batches in different orders', async () => {
    const rounds = Array.from({ length: 20 }, (_, index) => `${key} ${index}`);
    const replies = await Promise.all([
      ...rounds.map((under) => send(agent.runtime, batch(under), under)),
      ...rounds.toReversed().map((under) => send(onOther(), batch(under), under)),
    ]);
    expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(replies.filter(isFirst)).toHaveLength(20);
    expect(await stored()).toHaveLength(60);
  });
});

describe('Batches of one group', () => {
  const hash = (text: string) => Buffer.from(text.padEnd(16));
  const rows = (message: string, of = agent) =>
    Array.from({ length: 2 }, () => ({
      id: randomUUID(),
      agentId: of.id,
      deploymentId: null,
      runId: null,
      timestamp: new Date(),
      level: 'info' as const,
      message,
      metadata: null,
    }));
  const plain = (mark: string) => ({ rows: rows(mark), key: null });
  const keyed = (mark: string, name: string, of = agent) => ({
    rows: rows(mark, of),
    key: { agentId: of.id, keyHash: hash(`${of.id.slice(-8)}${name}`), fingerprint: hash(mark) },
  });
  const insert = (...batches: (ReturnType<typeof plain> | ReturnType<typeof keyed>)[]) =>
    app.app.get(LogsRepository).insert(app.app.get(Database).runtimes.manager, batches);

  it('each get their own outcome: stored, repeated, or refused because the key was used for another batch', async () => {
    const neighbour = await createAgent(app, person);
    expect(await insert(keyed('before', 'a'))).toEqual(['stored']);
    const outcomes = await insert(
      plain('plain'),
      keyed('before', 'a'),
      plain('plain'),
      keyed('new', 'b'),
      keyed('other', 'a'),
      keyed('new', 'b'),
      keyed('second', 'b'),
      { rows: [], key: keyed('none', 'c').key },
      keyed('theirs', 'a', neighbour),
      plain('last'),
    );
    expect(outcomes).toEqual([
      ...['stored', 'repeated', 'stored', 'stored', 'refused'],
      ...['repeated', 'refused', 'stored', 'stored', 'stored'],
    ]);
    expect(await stored()).toEqual(
      ['before', 'last', 'new', 'plain', 'plain'].flatMap((mark) => [mark, mark]),
    );
    expect(await stored(neighbour)).toEqual(['theirs', 'theirs']);
  });

  it('each get their own outcome if the first batch of a key is not the stored one', async () => {
    await insert(keyed('kept', 'a'));
    const outcomes = await insert(keyed('other', 'a'), keyed('kept', 'a'), keyed('other', 'a'));
    expect(outcomes).toEqual(['refused', 'repeated', 'refused']);
    expect(await stored()).toEqual(['kept', 'kept']);
  });

  it('leave no key for a batch that the database refused, so that a corrected batch can use the key', async () => {
    await app.database.query("ALTER TABLE agent_logs ADD CONSTRAINT no_poison CHECK (message <> 'poison 1')");
    const marks = ['fine', 'poison', 'good'];
    const replies = await Promise.all(
      marks.map((mark) => send(agent.runtime, batch(mark), `${key} ${mark}`)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 500, 200]);
    expect(await keptKeys()).toHaveLength(2);
    expect(isFirst(await send(agent.runtime, batch('mended'), `${key} poison`))).toBe(true);
    await app.database.query('ALTER TABLE agent_logs DROP CONSTRAINT no_poison');
    expect(new Set(await stored())).toEqual(new Set(['fine', 'good', 'mended']));
  });
});

describe('A retry after a lost reply', () => {
  it('stores the batch whose first request the database ended before its commit', async () => {
    await whileGated(app.database, 'telemetry_batches', 'commit', async () => {
      const lost = send(agent.runtime, batch());
      await untilSomeoneWaits(app.database);
      await app.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      expectError(await lost, 503);
    });
    expect([await stored(), await keptKeys()]).toEqual([[], []]);
    expect(isFirst(await send(agent.runtime, batch()))).toBe(true);
    expect(await stored()).toEqual(['x', 'x', 'x']);
  });
});
