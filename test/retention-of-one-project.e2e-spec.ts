import { Database } from '../src/database/database.js';
import { uuidFloor } from '../src/database/uuid-times.js';
import { newId } from '../src/database/new-id.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { TelemetryDatabase } from '../src/database/telemetry-database.js';
import { OwnRetentionsService } from '../src/quotas/own-retentions.service.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { ask, createWorker } from './builders/runs.js';
import { urlOf } from './harness/child-service.js';
import { untilSomeoneWaits, whileHeld } from './harness/held-lock.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

const TABLES = ['agent_logs', 'agent_metrics', 'agent_spans', 'agent_span_contents'];
const DAY_MS = 86_400_000;

let telemetry: TestDatabase;
let app: TestApp;
let operator: Person;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  telemetry = await createTestDatabase('template0');
  app = await startTestApp({
    settings: { TELEMETRY_DATABASE_URL: urlOf(telemetry.target), SPAN_RETENTION_DAYS: '20' },
  });
  await until(() => app.app.get(TelemetryDatabase).state === 'ready');
  await until(() => app.app.get(PeriodicJobs).runOnce('telemetryRetention'));
  operator = await registerOperator(app);
});

beforeEach(async () => {
  await app.database.query('DELETE FROM project_limits');
  person = await registerPerson(app);
  agent = await createAgent(app, person);
});

afterAll(async () => {
  await app.close();
  await telemetry.drop();
});

const limit = (limits: object, { id } = person) => operator.api.patch(`/projects/${id}/limits`, limits);
const deleteTelemetry = () => app.app.get(PeriodicJobs).runOnce('ownTelemetryRetention');
const deleteRuns = () => app.app.get(PeriodicJobs).runOnce('ownRunRetention');

/** Stores rows of an agent in each table, so many days old. */
async function store(of: TestAgent, days: readonly number[], tables = TABLES): Promise<void> {
  const more: Readonly<Record<string, [string, string]>> = {
    agent_logs: [', level, message', ", 'info', 'x'"],
    agent_spans: [
      ', trace_id, span_id, name, kind, status, duration_ms',
      ", 'x', 'y', 'call', 'llm', 'ok', 1",
    ],
  };
  for (const table of tables) {
    const [columns, values] = more[table] ?? ['', ''];
    await telemetry.query(
      `INSERT INTO ${table} (agent_id, id, "timestamp"${columns})
       SELECT $1, gen_random_uuid(), now() - make_interval(hours => days * 24)${values} FROM unnest($2::int[]) AS days`,
      [of.id, days],
    );
  }
}

/** How many days old the rows of an agent are. */
async function ages(of: TestAgent, table: string): Promise<number[]> {
  const rows = await telemetry.query<{ days: number }>(
    `SELECT extract(epoch FROM now() - "timestamp")::int / 86400 AS days FROM ${table} WHERE agent_id = $1 ORDER BY 1`,
    [of.id],
  );
  return rows.map(({ days }) => days);
}

/** Copies a run as one that was made and has ended so many days ago. @param endedDaysAgo null: it has not ended */
async function copyRun(id: string, days: number, endedDaysAgo: number | null = days): Promise<string> {
  const copy = uuidFloor(new Date(Date.now() - days * DAY_MS)).slice(0, 14) + newId().slice(14);
  await app.database.query(
    `INSERT INTO runs SELECT (jsonb_populate_record(run, jsonb_build_object('id', $2::uuid, 'status', $3::text,
       'ended_at', now() - make_interval(days => $4)))).* FROM runs AS run WHERE id = $1`,
    [id, copy, endedDaysAgo === null ? 'queued' : 'succeeded', endedDaysAgo],
  );
  return copy;
}

const storedRuns = async () =>
  (
    await app.database.query<{ id: string }>('SELECT id FROM runs WHERE project_id = $1 ORDER BY id', [
      person.id,
    ])
  ).map(({ id }) => id);

describe('A project that keeps less than the installation', () => {
  it('loses the entries beyond its days of each kind, and nothing else', async () => {
    const [second, other] = [await createAgent(app, person), await registerPerson(app)];
    const stranger = await createAgent(app, other);
    for (const each of [agent, second, stranger]) await store(each, [0, 2, 4, 6]);
    await limit({ log_days: 3, span_days: 5 });
    await limit({ metric_days: 1 }, other);
    expect(await deleteTelemetry()).toBe(true);
    for (const each of [agent, second]) {
      expect(await ages(each, 'agent_logs')).toEqual([0, 2]);
      expect(await ages(each, 'agent_metrics')).toEqual([0, 2, 4, 6]);
      expect(await ages(each, 'agent_spans')).toEqual([0, 2, 4]);
      expect(await ages(each, 'agent_span_contents')).toEqual([0, 2, 4]);
    }
    expect(await ages(stranger, 'agent_logs')).toEqual([0, 2, 4, 6]);
    expect(await ages(stranger, 'agent_metrics')).toEqual([0]);
  });

  it('loses more than a bite of one moment in one round', async () => {
    await store(agent, Array<number>(12_001).fill(2), ['agent_logs']);
    await store(agent, [0], ['agent_logs']);
    await limit({ log_days: 1 });
    await deleteTelemetry();
    expect(await ages(agent, 'agent_logs')).toEqual([0]);
  });

  it("loses its rows although another agent's cannot be deleted, which the next rounds try again", async () => {
    const second = await createAgent(app, person);
    for (const each of [agent, second]) await store(each, [2], ['agent_metrics']);
    await limit({ metric_days: 1 });
    await telemetry.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF old.agent_id = '${agent.id}' THEN RAISE 'refused'; END IF; RETURN old; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON agent_metrics FOR EACH ROW EXECUTE FUNCTION refuse()`);
    await deleteTelemetry();
    await telemetry.query('DROP FUNCTION refuse CASCADE');
    expect(await ages(second, 'agent_metrics')).toEqual([]);
    expect(await ages(agent, 'agent_metrics')).toEqual([2]);
    await deleteTelemetry();
    expect(await ages(agent, 'agent_metrics')).toEqual([]);
  });

  it('loses ended runs with their history, by their ends, and none that is open', async () => {
    const run = await ask(person, await createWorker(app, person));
    await copyRun(run.id, 5);
    const kept = [
      await copyRun(run.id, 6, null),
      await copyRun(run.id, 5, 1),
      await copyRun(run.id, 1),
      run.id,
    ];
    await deleteRuns();
    expect(await storedRuns()).toHaveLength(5);
    await limit({ run_days: 3 });
    await deleteRuns();
    expect(await storedRuns()).toEqual(kept);
  });

  it('loses more than a bite of runs in one round', async () => {
    const run = await ask(person, await createWorker(app, person));
    await app.database.query(
      `INSERT INTO runs SELECT (jsonb_populate_record(run, jsonb_build_object('status', 'succeeded', 'ended_at', now() - interval '2 days',
         'id', '00000000-0000-7000-8000-' || lpad(n::text, 12, '0')))).*
       FROM runs AS run, generate_series(1, 2001) AS n WHERE id = $1`,
      [run.id],
    );
    await limit({ run_days: 1 });
    await deleteRuns();
    expect(await storedRuns()).toEqual([run.id]);
  });

  it("keeps the installation's time when its limit is removed", async () => {
    await store(agent, [4], ['agent_logs']);
    await limit({ log_days: 3 });
    await limit({ log_days: null });
    await deleteTelemetry();
    expect(await ages(agent, 'agent_logs')).toEqual([4]);
  });

  it('cannot keep more than the installation, which its limits say', async () => {
    const refused = await limit({ span_days: 21, log_days: 15, metric_days: 1 });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      {
        field: 'log_days',
        code: 'out_of_range',
        message: 'log_days must be at most 14 days, the retention of the installation (LOG_RETENTION_DAYS)',
      },
      {
        field: 'span_days',
        code: 'out_of_range',
        message: 'span_days must be at most 20 days, the retention of the installation (SPAN_RETENTION_DAYS)',
      },
    ]);
    await limit({ span_days: 20 });
    const { limits } = (await person.api.get(`/projects/${person.id}/limits`)).body;
    expect(limits).toContainEqual({ kind: 'span_days', limit: 20, own_limit: 20, used: null });
    expect(limits).toContainEqual({ kind: 'metric_days', limit: 30, own_limit: null, used: null });
  });
});

describe('The job that deletes what a project keeps no longer', () => {
  it('holds no connection to the database of telemetry while it waits for the main one', async () => {
    await limit({ log_days: 1 });
    await whileHeld(app.database, 'LOCK TABLE project_limits', async (release) => {
      const round = deleteTelemetry();
      await untilSomeoneWaits(app.database);
      const locks = await telemetry.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(locks).toEqual([]);
      await release();
      expect(await round).toBe(true);
    });
  });

  it('walks all agents of all projects in their order', async () => {
    const [second, other] = [await createAgent(app, person), await registerPerson(app)];
    const stranger = await createAgent(app, other);
    await registerPerson(app);
    await limit({ log_days: 3, run_days: 1 });
    await limit({ span_days: 5, metric_days: 2 }, other);
    const retentions = app.app.get(OwnRetentionsService);
    const { manager } = app.app.get(Database).background;
    const found = [];
    for (let after; ;) {
      [after] = await retentions.nextAgents(manager, ['log_days', 'metric_days', 'span_days'], after, 1);
      if (!after) break;
      found.push(after);
    }
    const own = { projectId: person.id, days: { log_days: 3 } };
    const foreign = { projectId: other.id, agentId: stranger.id, days: { span_days: 5, metric_days: 2 } };
    expect(found).toEqual([{ ...own, agentId: agent.id }, { ...own, agentId: second.id }, foreign]);
  });
});
