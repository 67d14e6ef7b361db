import type { ConnectionPool } from '../src/database/connection-pool.js';
import { Database } from '../src/database/database.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { TelemetryDatabase } from '../src/database/telemetry-database.js';
import { ServiceMetrics } from '../src/observability/service-metrics.js';
import { createAgent } from './builders/agents.js';
import { askApproval } from './builders/approvals.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun, tell } from './builders/runs.js';
import { exportSpans, llmSpan, newSpanId, newTraceId, toolSpan, traceExport } from './builders/traces.js';
import { expectError } from './harness/error-shape.js';
import { EventStream } from './harness/event-stream.js';
import { SlowLink } from './harness/slow-link.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

let telemetry: TestDatabase;
let link: SlowLink;
let app: TestApp;
let person: Person;
let worker: Awaited<ReturnType<typeof createWorker>>;

/** The start of spans that are sent again: part of what identifies them. */
const STARTED_AT = Date.now() - 1_000;

/** Takes the connection of a pool of one. @returns gives it back */
async function hold(pool: ConnectionPool): Promise<() => Promise<void>> {
  const [taken, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const session = pool.session(async (connection) => {
    await connection.query('SELECT');
    taken.resolve();
    await end.promise;
  });
  await taken.promise;
  return () => {
    end.resolve();
    return session;
  };
}

const isReady = () => app.app.get(TelemetryDatabase).state === 'ready';
const runJob = (name: 'removalPurge' | 'telemetryRetention' | 'uncountedUsage') =>
  until(() => app.app.get(PeriodicJobs).runOnce(name));

beforeAll(async () => {
  telemetry = await createTestDatabase('template0');
  link = await SlowLink.start(telemetry.target);
  // Pools of one connection each show whether one is kept while another is waited for.
  app = await startTestApp({ settings: { TELEMETRY_DATABASE_URL: link.url, DATABASE_POOL_SIZE: '4' } });
  await until(isReady);
  // A read that meets the creation of a partition could miss the rows that move into it.
  await runJob('telemetryRetention');
});

beforeEach(async () => {
  person = await registerPerson(app);
  worker = await createWorker(app, person);
});

afterAll(async () => {
  await app.close();
  await link.close();
  await telemetry.drop();
});

const COLUMNS = `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name = ANY ($1) ORDER BY table_name, column_name`;
const INDEXES = `SELECT tablename, indexdef FROM pg_indexes
  WHERE tablename = ANY ($1) AND indexname NOT LIKE '%transaction_id%' ORDER BY indexdef`;
const TABLES = [
  'agent_logs',
  'agent_log_positions',
  'agent_metrics',
  'telemetry_batches',
  'agent_spans',
  'agent_span_contents',
  'agent_content_sizes',
];

/** The number of rows of the worker in each table of a database. */
async function rowsIn(database: TestDatabase): Promise<Record<string, number>> {
  const rows = await Promise.all(
    TABLES.map(async (table): Promise<[string, number]> => {
      const found = await database.query(`SELECT FROM ${table} WHERE agent_id = $1`, [worker.id]);
      return [table, found.length];
    }),
  );
  return Object.fromEntries(rows.filter(([, count]) => count > 0));
}

/** Sends a line, a sample and two spans of a run. @returns the statuses of the replies */
async function sendAll(runId: string, key = 'batch', spanId = newSpanId()): Promise<number[]> {
  const { runtime } = worker;
  const line = { level: 'info', message: 'hello', run_id: runId };
  const spans = [llmSpan({ spanId, traceId: '1'.repeat(32), startedAt: STARTED_AT, input: 100, output: 10 })];
  const replies = [
    await runtime.post('/agents/logs', line, { headers: { 'Idempotency-Key': key } }),
    await runtime.post('/agents/metrics', { cpu_usage: 1 }),
    await runtime.post('/otlp/v1/traces', traceExport(spans, { 'agent_control_plane.run_id': runId })),
  ];
  return replies.map(({ status }) => status);
}

const tokensOf = async (runId: string) => ((await readRun(person, runId)).usage as any)?.input_tokens ?? 0;

describe('A database of telemetry', () => {
  it('has the tables of telemetry with the columns and indexes that they have in the main one', async () => {
    for (const statement of [COLUMNS, INDEXES]) {
      const expected = await app.database.query(statement, [TABLES]);
      expect(await telemetry.query(statement, [TABLES])).toEqual(expected);
      expect(expected.length).toBeGreaterThanOrEqual(TABLES.length);
    }
  });

  it('stores logs, metrics, spans and the keys of batches, and the main one none of them', async () => {
    const { id: runId } = await ask(person, worker);
    const spanId = newSpanId();
    expect(await sendAll(runId, 'once', spanId)).not.toContain(503);
    expect(await sendAll(runId, 'once', spanId)).not.toContain(503);
    expect(await rowsIn(app.database)).toEqual({});
    expect(await rowsIn(telemetry)).toEqual({
      agent_logs: 1,
      agent_log_positions: 1,
      agent_metrics: 2,
      telemetry_batches: 1,
      agent_spans: 1,
    });
    const logs = await person.api.get(`/agents/${worker.id}/logs`);
    expect(logs.body).toMatchObject([
      { message: 'hello', deployment_id: worker.deploymentId, run_id: runId },
    ]);
    const metrics = await person.api.get(`/agents/${worker.id}/metrics`);
    expect(metrics.body).toMatchObject([{ deployment_id: worker.deploymentId }, { cpu_usage: 1 }]);
    expect((await person.api.get('/logs?q=hello')).body).toMatchObject([{ message: 'hello' }]);
    expect((await person.api.get(`/runs/${runId}/spans`)).body).toHaveLength(1);
    // The export was sent twice.
    expect(await tokensOf(runId)).toBe(100);
    expect(await telemetry.query('SELECT id FROM uncounted_usage')).toEqual([]);
  });

  it('keeps the usage of spans until it is counted once, when an instance ends at any moment', async () => {
    const { id: runId } = await ask(person, worker);
    const copy = 'CREATE TABLE IF NOT EXISTS kept AS SELECT * FROM uncounted_usage';
    await telemetry.query(copy);
    await telemetry.query(`CREATE OR REPLACE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO kept SELECT OLD.*; RETURN OLD; END'`);
    await telemetry.query(
      'CREATE TRIGGER keeps BEFORE DELETE ON uncounted_usage FOR EACH ROW EXECUTE FUNCTION keep()',
    );
    await app.database.query('ALTER TABLE counted_usage RENAME TO away');
    // The instance ends before it counts: the spans are stored, and the export is not acknowledged.
    const traceId = newTraceId();
    const resource = { 'agent_control_plane.run_id': runId };
    const body = traceExport(
      [llmSpan({ traceId, startedAt: STARTED_AT, input: 100 }), toolSpan({ traceId, startedAt: STARTED_AT })],
      resource,
    );
    expect((await worker.runtime.post('/otlp/v1/traces', body)).status).toBe(500);
    expect(await telemetry.query('SELECT agent_id FROM uncounted_usage')).toEqual([{ agent_id: worker.id }]);
    await app.database.query('ALTER TABLE away RENAME TO counted_usage');
    expect((await worker.runtime.post('/otlp/v1/traces', body)).status).toBe(200);
    expect(await tokensOf(runId)).toBe(0);

    const age = `UPDATE uncounted_usage SET created_at = now() - interval '1 minute'`;
    await telemetry.query(age);
    await runJob('uncountedUsage');
    expect(await tokensOf(runId)).toBe(100);
    expect(await telemetry.query('SELECT id FROM uncounted_usage')).toEqual([]);

    // The instance ends after it has counted, and before the telemetry database has forgotten it.
    await telemetry.query('INSERT INTO uncounted_usage SELECT * FROM kept');
    await telemetry.query(age);
    await app.database.query(`UPDATE counted_usage SET counted_at = now() - interval '2 hours'`);
    await runJob('uncountedUsage');
    expect(await tokensOf(runId)).toBe(100);
    await runJob('uncountedUsage');
    expect(await app.database.query('SELECT id FROM counted_usage')).toEqual([]);
    await telemetry.query('DROP TRIGGER keeps ON uncounted_usage');
  });

  it('has nothing of an agent that was removed', async () => {
    const { id: runId } = await ask(person, worker);
    await sendAll(runId);
    expect((await person.api.delete(`/agents/${worker.id}`)).status).toBe(204);
    await runJob('removalPurge');
    expect(await rowsIn(telemetry)).toEqual({});
    expect(await app.database.query('SELECT id FROM agents WHERE id = $1', [worker.id])).toEqual([]);
  });
});

describe('A job of both databases', () => {
  it.each([
    ['the main database', () => app.app.get(Database), () => app.app.get(TelemetryDatabase)],
    ['that of telemetry', () => app.app.get(TelemetryDatabase), () => app.app.get(Database)],
  ] as const)(
    'holds no connection of the other one while it waits for %s',
    async (_which, waitedFor, other) => {
      const { id: runId } = await ask(person, worker);
      await sendAll(runId);
      const pools = [waitedFor().runtimes, waitedFor().background];
      const held = await Promise.all(pools.map(hold));
      await telemetry.query(
        `INSERT INTO uncounted_usage (agent_id, id, told, created_at)
         VALUES ($1, gen_random_uuid(), '{"usage":[],"calls":[]}', now() - interval '1 minute')`,
        [worker.id],
      );
      expect((await person.api.delete(`/agents/${worker.id}`)).status).toBe(204);
      const jobs = app.app.get(PeriodicJobs);
      const rounds = Promise.all([jobs.runOnce('removalPurge'), jobs.runOnce('uncountedUsage')]);
      await until(() => pools.some((pool) => pool.usage().waiting > 0));
      await other().background.manager.query('SELECT');
      await Promise.all(held.map((release) => release()));
      await rounds;
      await runJob('removalPurge');
      expect(await rowsIn(telemetry)).toEqual({});
    },
  );
});

describe('A database of telemetry that is away', () => {
  it('makes logs, metrics and spans a 503, and nothing else; and is used again when it is back', async () => {
    const { id: runId } = await ask(person, worker);
    const other = await createAgent(app, person);
    await claim(worker);
    const stream = await EventStream.open(app.url, `/runs/${runId}/stream`, {
      credential: person.accessToken,
    });
    await stream.has(2);
    await link.close();
    try {
      await until(() => !isReady());
      for (const path of ['/agents/logs', '/agents/metrics', '/otlp/v1/traces']) {
        const body = path.startsWith('/otlp') ? traceExport([llmSpan()]) : { level: 'info', message: 'x' };
        const reply = await worker.runtime.post(path, path === '/agents/metrics' ? { cpu_usage: 1 } : body);
        expect([path, reply.status]).toEqual([path, 503]);
        expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      for (const path of [`/agents/${worker.id}/logs`, '/logs', `/runs/${runId}/spans`])
        expectError(await person.api.get(path), 503);

      expect(await app.api.get('/ready')).toMatchObject({
        status: 200,
        body: { status: 'ready', database: 'ready', telemetry_database: 'unavailable' },
      });
      expect(await app.app.get(ServiceMetrics).read()).toContain(
        'control_plane_database_ready{database="telemetry"} 0',
      );
      for (const path of ['/overview', `/agents/${worker.id}`, `/runs/${runId}`, '/agents'])
        expect([path, (await person.api.get(path)).status]).toEqual([path, 200]);
      expect((await worker.runtime.post('/agents/heartbeat', {})).status).toBe(200);
      expect((await other.runtime.get('/agents/commands')).status).toBe(200);
      await askApproval(worker);
      await tell(worker, { run_id: runId, status: 'succeeded' });
      expect((await readRun(person, runId)).status).toBe('succeeded');
      // The step is shown, although the lines can't be read.
      await stream.has(3);
    } finally {
      await link.reopen();
    }
    await until(isReady);
    expect((await app.api.get('/ready')).body).toMatchObject({ telemetry_database: 'ready' });
    expect(await sendAll(runId)).not.toContain(503);
    await exportSpans(worker, [llmSpan()]);
    stream.close();
  });
});
