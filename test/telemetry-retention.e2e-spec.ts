import { mock } from 'node:test';
import { jest } from '@jest/globals';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { Database } from '../src/database/database.js';
import { partitionAt } from '../src/telemetry/telemetry-partitions.js';
import { TelemetryPartitionsRepository } from '../src/telemetry/telemetry-partitions.repository.js';
import { TelemetryPurgeService } from '../src/telemetry/telemetry-purge.service.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const TABLES = ['agent_logs', 'agent_metrics'];
const RETENTION_DAYS = { LOG_RETENTION_DAYS: '3', METRIC_RETENTION_DAYS: '5' };

let app: TestApp;
let person: Person;
let agent: TestAgent;
/** The moment around which everything happens. The dates of the tests' own partitions lie far behind it. */
let today: Date;

const daysAgo = (days: number) => new Date(today.getTime() - days * DAY_MS);
/** Today and the days for which there are partitions in advance. */
const daysAhead = () => Array.from({ length: 8 }, (_, day) => daysAgo(-day));
const partitionOf = (table: string, day: Date) =>
  `${table}_p${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

beforeAll(async () => {
  app = await startTestApp({ settings: RETENTION_DAYS });
  person = await registerPerson(app);
});

beforeEach(async () => {
  // A test that began in the last minute of a day would end on another one.
  await until(() => Date.now() % DAY_MS < DAY_MS - MINUTE_MS, 2 * MINUTE_MS);
  today = new Date();
  agent = await createAgent(app, person);
  await removeTelemetry();
  await maintain(today);
}, 3 * MINUTE_MS);

afterAll(() => app.close());

/** Removes all telemetry, and the tables that the test before has made next to those of {@link today}. */
async function removeTelemetry(): Promise<void> {
  const kept = TABLES.flatMap((table) => daysAhead().map((day) => partitionOf(table, day)));
  const [row] = await app.database.query<{ names: string | null }>(
    `SELECT string_agg(oid::regclass::text, ', ') AS names FROM pg_class
     WHERE relkind = 'r' AND relname ~ '^agent_(logs|metrics)_p\\d+$' AND NOT relname = ANY($1)`,
    [kept],
  );
  if (row?.names) await app.database.query(`DROP TABLE ${row.names}`);
  for (const table of [...TABLES, 'telemetry_batches']) await app.database.query(`DELETE FROM ${table}`);
}

async function partitions(table: string, { database } = app): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY name',
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Behind the service's back, which takes in no times of the future. */
async function writeAt(...moments: Date[]): Promise<void> {
  for (const table of TABLES) {
    const [columns, values] = table === 'agent_logs' ? [', level, message', ", 'info', 'x'"] : ['', ''];
    await app.database.query(
      `INSERT INTO ${table} (agent_id, id, "timestamp"${columns})
       SELECT $1, gen_random_uuid(), moment${values} FROM unnest($2::timestamptz[]) AS moment`,
      [agent.id, moments],
    );
  }
}

/** How many rows are where. */
async function whereabouts(table: string): Promise<Record<string, number>> {
  const rows = await app.database.query<{ place: string; count: number }>(
    `SELECT tableoid::regclass::text AS place, count(*)::int AS count FROM ${table} GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ place, count }) => [place, count]));
}

/** A round of the partitions' job, when the database's clock shows `now`. */
async function maintain(now: Date): Promise<void> {
  const clock = jest.spyOn(app.app.get(TelemetryPartitionsRepository), 'now').mockResolvedValue(now);
  try {
    // The round that the connection began may still be under way.
    await until(() => app.app.get(PeriodicJobs).runOnce('telemetryRetention'));
  } finally {
    clock.mockRestore();
  }
}

const deleteExpiredRows = () => app.app.get(PeriodicJobs).runOnce('telemetryRowRetention');

/** Runs `work` while the clock of this process, and nothing else of its time, shows `now`. */
async function withOwnClockAt(now: Date, work: () => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['Date'], now });
  try {
    await work();
  } finally {
    mock.timers.reset();
  }
}

describe('The partitions', () => {
  it('exist from the start for today and the next seven days', async () => {
    const database = await createTestDatabase('template0');
    const fresh = await startTestApp({ settings: RETENTION_DAYS, database });
    try {
      for (const table of TABLES) {
        const days = daysAhead().map((day) => partitionOf(table, day));
        const names = await until(async () => {
          const present = await partitions(table, fresh);
          return present.length > days.length && present;
        });
        expect(names).toEqual([`${table}_default`, ...days]);
      }
    } finally {
      await fresh.close();
      await database.drop();
    }
  });

  it('store the rows of their days', async () => {
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'now' });
    await agent.runtime.post('/agents/metrics', { metrics: [{}, { timestamp: daysAgo(2).toISOString() }] });
    expect(await whereabouts('agent_logs')).toEqual({ [partitionOf('agent_logs', today)]: 1 });
    expect(await whereabouts('agent_metrics')).toEqual({
      [partitionOf('agent_metrics', today)]: 1,
      agent_metrics_default: 1,
    });
  });

  it('can be created repeatedly', async () => {
    await maintain(today);
    await maintain(new Date(today.getTime() + DAY_MS));
    expect((await partitions('agent_logs')).length).toBe(10);
  });

  it('take the rows of their day from the default partition', async () => {
    const later = daysAgo(-20);
    const [before, after] = [new Date(Math.floor(later.getTime() / DAY_MS) * DAY_MS - 1), daysAgo(-28)];
    await writeAt(before, later, after);
    await maintain(later);
    for (const table of TABLES) {
      expect(await whereabouts(table)).toEqual({
        [`${table}_default`]: 2,
        [partitionOf(table, later)]: 1,
      });
    }
  });

  it('are dropped when all their rows are older than the retention', async () => {
    await writeAt(today, daysAgo(-1));
    await maintain(daysAgo(-5));
    // Metrics of the two days that have passed since are still kept.
    expect(await whereabouts('agent_logs')).toEqual({});
    expect(await whereabouts('agent_metrics')).toEqual({
      [partitionOf('agent_metrics', today)]: 1,
      [partitionOf('agent_metrics', daysAgo(-1))]: 1,
    });
    expect((await partitions('agent_logs')).at(1)).toBe(partitionOf('agent_logs', daysAgo(-2)));
  });

  it('are vacuumed with the settings of append-only tables', async () => {
    const [row] = await app.database.query<{ reloptions: string[] }>(
      'SELECT reloptions FROM pg_class WHERE oid = $1::regclass',
      [partitionOf('agent_logs', today)],
    );
    expect(row?.reloptions).toContain('autovacuum_vacuum_insert_scale_factor=0');
  });

  it('can be created while entries are written', async () => {
    let writing = true;
    const later = daysAgo(-30);
    const writer = (async () => {
      let written = 0;
      while (writing) {
        await writeAt(later);
        written++;
      }
      return written;
    })();
    await maintain(later);
    writing = false;
    const written = await writer;
    expect(await whereabouts('agent_logs')).toEqual({ [partitionOf('agent_logs', later)]: written });
  });

  it('wait only briefly for a lock, and are created in the next round', async () => {
    await app.database.query('BEGIN');
    await app.database.query('LOCK TABLE agent_logs IN ROW EXCLUSIVE MODE');
    const later = new Date(today.getTime() + DAY_MS);
    await maintain(later);
    await app.database.query('COMMIT');
    // The other table was not delayed by it.
    expect([(await partitions('agent_logs')).length, (await partitions('agent_metrics')).length]).toEqual([
      9, 10,
    ]);
    await maintain(later);
    expect((await partitions('agent_logs')).length).toBe(10);
  });

  it('hide no row from a list that is read while they take it from the default partition', async () => {
    const later = daysAgo(-40);
    await writeAt(later);
    let read: unknown;
    await app.app.get(Database).background.transaction(async (tx) => {
      const partition = partitionAt('agent_logs', later);
      await app.app.get(TelemetryPartitionsRepository).create(tx, 'agent_logs', partition);
      read = whereabouts('agent_logs');
      const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation::regclass::text ~ '^agent_logs'`;
      await until(async () => (await tx.query<unknown[]>(waiting)).length > 0);
    });
    expect(await read).toEqual({ [partitionOf('agent_logs', later)]: 1 });
  });

  it('are created although one of them fails', async () => {
    const [taken, next] = [daysAgo(-8), daysAgo(-9)];
    await app.database.query(`CREATE TABLE ${partitionOf('agent_logs', taken)} ()`);
    await maintain(daysAgo(-2));
    expect((await partitions('agent_logs')).at(-1)).toBe(partitionOf('agent_logs', next));
    expect(await partitions('agent_logs')).not.toContain(partitionOf('agent_logs', taken));
  });
});

describe('The retention of telemetry', () => {
  it("uses the database's clock, so that an instance a year ahead deletes nothing", async () => {
    await writeAt(today, daysAgo(2));
    await agent.runtime.post('/agents/metrics', {}, { headers: { 'Idempotency-Key': 'kept' } });
    const stock = async () => [
      await Promise.all(TABLES.map((table) => partitions(table))),
      await Promise.all(TABLES.map(whereabouts)),
      await app.database.query('SELECT count(*) FROM telemetry_batches'),
    ];
    await maintain(today);
    const before = await stock();
    await withOwnClockAt(daysAgo(-365), async () => {
      expect(await app.app.get(PeriodicJobs).runOnce('telemetryRetention')).toBe(true);
      expect(await deleteExpiredRows()).toBe(true);
    });
    expect(await stock()).toEqual(before);
  });
});

describe('The default partition', () => {
  it('loses rows older than its retention', async () => {
    await writeAt(daysAgo(2), daysAgo(4), daysAgo(6), new Date('1970-01-01'));
    await deleteExpiredRows();
    expect(await whereabouts('agent_logs')).toEqual({ agent_logs_default: 1 });
    expect(await whereabouts('agent_metrics')).toEqual({ agent_metrics_default: 2 });
  });

  it('loses them in batches until none is left', async () => {
    await app.database.query(
      `INSERT INTO agent_logs (agent_id, id, "timestamp", level, message)
       SELECT $1, gen_random_uuid(), '2000-01-01', 'info', 'x' FROM generate_series(1, 20001)`,
      [agent.id],
    );
    await deleteExpiredRows();
    expect(await whereabouts('agent_logs')).toEqual({});
  });
});

describe('Purging an agent', () => {
  it("deletes all its rows in every partition, and no other agent's", async () => {
    const other = await createAgent(app, person);
    for (const { runtime } of [agent, other])
      await runtime.post('/agents/logs', { logs: [] }, { headers: { 'Idempotency-Key': 'x' } });
    await other.runtime.post('/agents/logs', { level: 'info', message: 'kept' });
    await other.runtime.post('/agents/metrics', {});
    await writeAt(daysAgo(2), today, daysAgo(-1));
    // More than a bite of one and the same moment.
    await app.database.query(
      `INSERT INTO agent_logs (agent_id, id, "timestamp", level, message)
       SELECT $1, gen_random_uuid(), $2::timestamptz, 'info', 'x' FROM generate_series(1, 25000)`,
      [agent.id, today],
    );
    await app.database.query(
      `INSERT INTO telemetry_batches (agent_id, key_hash, fingerprint, expires_at)
       SELECT $1, int4send(n), '', now() + interval '1 day' FROM generate_series(1, 10000) AS n`,
      [agent.id],
    );
    const purge = app.app.get(TelemetryPurgeService);
    const { manager } = app.app.get(Database).background;
    let bites = 1;
    while (await purge.purgeSome(manager, agent.id)) bites++;
    expect(bites).toBeGreaterThan(5);
    for (const table of [...TABLES, 'telemetry_batches']) {
      expect(await app.database.query(`SELECT DISTINCT agent_id FROM ${table}`)).toEqual([
        { agent_id: other.id },
      ]);
    }
  });
});
