import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import type { ApiClient, ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { KEY_USED, replayed } from './harness/idempotency-replies.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let other: TestApp;
let person: Person;
let agent: TestAgent;
let keys = 0;
let key: string;

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ database: app.database });
  person = await registerPerson(app);
});
beforeEach(async () => {
  agent = await createAgent(app, person);
  key = `batch ${++keys}`;
});
afterAll(async () => {
  await other.close();
  await app.close();
});

type Kind = 'logs' | 'metrics';
const KINDS: Kind[] = ['logs', 'metrics'];

/** A batch of three; another mark makes it another batch. */
function batch(kind: Kind, mark = 'x'): object {
  return {
    [kind]: Array.from({ length: 3 }, (_, index) =>
      kind === 'logs'
        ? { level: 'info', message: `${mark} ${index}` }
        : { cpu_usage: index, custom: { mark } },
    ),
  };
}

const send = (as: ApiClient, kind: Kind, body: object, under = key) =>
  as.post(`/agents/${kind}`, body, { headers: { 'Idempotency-Key': under } });

const onOther = (of = agent) => other.api.as(of.key);
const isFirst = (reply: ApiReply<any>) => reply.status === 200 && replayed(reply) === null;

async function stored(kind: Kind, of = agent): Promise<number> {
  const [row] = await app.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM agent_${kind} WHERE agent_id = $1`,
    [of.id],
  );
  return row!.count;
}

const keptKeys = (of = agent) =>
  app.database.query('SELECT expires_at FROM telemetry_batches WHERE agent_id = $1', [of.id]);

describe.each(KINDS)('A batch of %s that is repeated with its Idempotency-Key', (kind) => {
  it('is stored once and answered with the first reply', async () => {
    const first = await send(agent.runtime, kind, batch(kind));
    expect([first.status, first.body.accepted, replayed(first)]).toEqual([200, 3, null]);
    for (const as of [agent.runtime, onOther()]) {
      const again = await send(as, kind, batch(kind));
      expect([again.status, again.body, replayed(again)]).toEqual([200, first.body, 'true']);
    }
    expect(await stored(kind)).toBe(3);
  });

  it('is refused with another body', async () => {
    await send(agent.runtime, kind, batch(kind));
    for (const as of [agent.runtime, onOther()])
      expectError(await send(as, kind, batch(kind, 'y')), 422, KEY_USED);
    expect(replayed(await send(agent.runtime, kind, batch(kind)))).toBe('true');
    expect(await stored(kind)).toBe(3);
  });

  it('is refused on the other route', async () => {
    await send(agent.runtime, kind, batch(kind));
    const elsewhere = kind === 'logs' ? 'metrics' : 'logs';
    expectError(await send(agent.runtime, elsewhere, batch(elsewhere)), 422, KEY_USED);
    expect(await stored(elsewhere)).toBe(0);
  });

  it('is stored for another agent that uses the same key', async () => {
    const neighbour = await createAgent(app, person);
    const replies = await Promise.all(
      [agent, neighbour].map(({ runtime }) => send(runtime, kind, batch(kind))),
    );
    expect(replies.every(isFirst)).toBe(true);
    expect([await stored(kind), await stored(kind, neighbour)]).toEqual([3, 3]);
  });

  it('may be a single entry or an empty batch', async () => {
    const single = kind === 'logs' ? { level: 'info', message: 'alone' } : {};
    await send(agent.runtime, kind, single);
    expect(await send(agent.runtime, kind, single)).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await stored(kind)).toBe(1);
    const none = { [kind]: [] };
    const replies = [];
    for (let time = 0; time < 2; time++) replies.push(await send(agent.runtime, kind, none, `${key} none`));
    expect(replies.map(({ body }) => body.accepted)).toEqual([0, 0]);
    expect(replies.map(replayed)).toEqual([null, 'true']);
  });
});

describe('An Idempotency-Key', () => {
  it('is not stored for a refused request', async () => {
    const foreign = await deploy(person, await createAgent(app, person));
    for (const body of [
      { level: 'loud' },
      { logs: [{ level: 'info', message: 'x', deployment_id: foreign }] },
    ])
      expect((await send(agent.runtime, 'logs', body)).status).toBe(422);
    expect(await keptKeys()).toEqual([]);
    expect(isFirst(await send(agent.runtime, 'logs', batch('logs')))).toBe(true);
  });

  it.each(['', 'x'.repeat(256), 'tab\there', 'é'])('of %j is refused', async (bad) => {
    const latin1 = Buffer.from(bad).toString('latin1');
    expectError(await send(agent.runtime, 'logs', batch('logs'), latin1), 422, /^Idempotency-Key must be/);
    expect(await stored('logs')).toBe(0);
  });

  it('may have 255 characters of any kind', async () => {
    for (const good of ['x'.repeat(255), `{"a": ["' OR 1=1 --"]}`]) {
      expect(isFirst(await send(agent.runtime, 'logs', batch('logs'), good))).toBe(true);
      expect(replayed(await send(agent.runtime, 'logs', batch('logs'), good))).toBe('true');
    }
  });

  it('can be used again after 24 hours, even before its record is deleted', async () => {
    await send(agent.runtime, 'logs', batch('logs'));
    const [kept] = await app.database.query<{ hours: string }>(
      'SELECT extract(epoch FROM expires_at - now()) / 3600 AS hours FROM telemetry_batches WHERE agent_id = $1',
      [agent.id],
    );
    expect(Number(kept?.hours)).toBeCloseTo(24, 1);
    await app.database.query('UPDATE telemetry_batches SET expires_at = now() WHERE agent_id = $1', [
      agent.id,
    ]);
    expect(isFirst(await send(agent.runtime, 'logs', batch('logs', 'y')))).toBe(true);
    expect(replayed(await send(agent.runtime, 'logs', batch('logs', 'y')))).toBe('true');
    expectError(await send(agent.runtime, 'logs', batch('logs')), 422, KEY_USED);
    expect([await stored('logs'), (await keptKeys()).length]).toEqual([6, 1]);
  });

  it('is accepted from one of several racing requests when it can be used again', async () => {
    await send(agent.runtime, 'logs', batch('logs'));
    await app.database.query('UPDATE telemetry_batches SET expires_at = now() WHERE agent_id = $1', [
      agent.id,
    ]);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(index % 2 ? agent.runtime : onOther(), 'logs', batch('logs', 'y')),
      ),
    );
    expect(replies.filter(isFirst)).toHaveLength(1);
    expect(await stored('logs')).toBe(6);
  });

  it('is valid across midnight, whichever partition the rows are in', async () => {
    await send(agent.runtime, 'logs', batch('logs'));
    // As though it had come yesterday, a moment less than a day ago.
    await app.database.query(
      `UPDATE telemetry_batches SET expires_at = now() + interval '10 seconds' WHERE agent_id = $1`,
      [agent.id],
    );
    await app.database.query(
      `UPDATE agent_logs SET "timestamp" = "timestamp" - interval '1 day' WHERE agent_id = $1`,
      [agent.id],
    );
    expect(replayed(await send(agent.runtime, 'logs', batch('logs')))).toBe('true');
    expect(await stored('logs')).toBe(3);
  });

  it('is valid for an entry without a time, although its time would differ', async () => {
    await send(agent.runtime, 'metrics', { cpu_usage: 1 });
    const before = await app.database.query('SELECT * FROM agent_metrics WHERE agent_id = $1', [agent.id]);
    await send(agent.runtime, 'metrics', { cpu_usage: 1 });
    expect(await app.database.query('SELECT * FROM agent_metrics WHERE agent_id = $1', [agent.id])).toEqual(
      before,
    );
  });
});

describe('The retention of Idempotency-Keys', () => {
  const deleteExpired = () => until(() => app.app.get(PeriodicJobs).runOnce('telemetryRowRetention'));

  it('deletes expired keys and no others', async () => {
    for (const under of ['first', 'second', 'third']) await send(agent.runtime, 'metrics', {}, under);
    await app.database.query(
      `WITH numbered AS (SELECT ctid, row_number() OVER () AS n FROM telemetry_batches WHERE agent_id = $1)
       UPDATE telemetry_batches AS batch
       SET expires_at = now() + CASE n WHEN 1 THEN interval '0' WHEN 2 THEN interval '1 minute' ELSE interval '1 day' END
       FROM numbered WHERE batch.ctid = numbered.ctid`,
      [agent.id],
    );
    await deleteExpired();
    expect(await keptKeys()).toHaveLength(2);
  });

  it('deletes them in batches until none is left', async () => {
    await app.database.query(
      `INSERT INTO telemetry_batches (agent_id, key_hash, fingerprint, expires_at)
       SELECT $1, int4send(n), '', now() FROM generate_series(1, 20001) AS n`,
      [agent.id],
    );
    await deleteExpired();
    expect(await keptKeys()).toEqual([]);
  });
});
