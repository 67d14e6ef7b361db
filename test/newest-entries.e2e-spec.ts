import { partitionAt, TELEMETRY_TABLES } from '../src/telemetry/telemetry-partitions.js';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { scansOf, type SentStatement, statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/**
 * Partitions that are read for the newest logs and metrics, as reported by PostgreSQL, which is the same on all
 * machines.
 */

const DAY_MS = 24 * 60 * 60_000;
const RECENT = 120;
const OLD = 30;
/** Days before the last two. */
const OLD_DAYS = [3, 4, 5];
/**
 * Partitions by the age of their days: those of the days with rows, and of the previous days, which contain the rows
 * just after midnight. A row without a partition would be in the default one, which both parts of a search read.
 */
const PARTITIONS: readonly [name: string, days: number][] = [
  ['yesterday', 1],
  ...[...OLD_DAYS, 6].map((days): [string, number] => [`old_${days}`, days]),
];

let app: TestApp;
let person: Person;
/** An agent with a page of logs in the last days, and as many a few days ago; two thirds are errors. */
let busy: TestAgent;
let deployment: string;
/** An agent with half a page of logs in the last days, and the rest a few days ago. */
let quiet: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  [busy, quiet] = [await createAgent(app, person), await createAgent(app, person)];
  deployment = await deploy(person, busy);
  for (const table of TELEMETRY_TABLES) {
    for (const [name, days] of PARTITIONS) {
      const { from, to } = partitionAt(table, new Date(Date.now() - days * DAY_MS));
      await app.database.query(
        `CREATE TABLE ${table}_${name} PARTITION OF ${table}
         FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
      );
    }
  }
  await app.database.query('INSERT INTO agent_log_positions VALUES ($1, 0), ($2, 0)', [busy.id, quiet.id]);
  await write(busy, RECENT, 'hours => 2');
  await write(busy, RECENT, `days => ${OLD_DAYS[1]}`);
  await write(quiet, OLD, 'hours => 2');
  for (const days of OLD_DAYS) await write(quiet, OLD, `days => ${days}`);
  await app.database.query('ANALYZE agent_logs, agent_metrics');
});

afterAll(() => app.close());

/** Writes rows with their last time this long ago. */
async function write(agent: TestAgent, rows: number, ago: string): Promise<void> {
  const values = [agent.id, agent === busy ? deployment : null, rows];
  const moment = `now() - make_interval(${ago}) - make_interval(secs => number)`;
  await app.database.query(
    `INSERT INTO agent_logs (agent_id, deployment_id, "timestamp", id, level, message, metadata)
     SELECT $1, $2, ${moment}, gen_random_uuid(), CASE WHEN number % 3 = 0 THEN 'info' ELSE 'error' END,
       'line ' || number, jsonb_build_object('replica', number % 2) FROM generate_series(1, $3) AS number`,
    values,
  );
  await app.database.query(
    `INSERT INTO agent_metrics (agent_id, deployment_id, "timestamp", id, cpu_usage)
     SELECT $1, $2, ${moment}, gen_random_uuid(), number FROM generate_series(1, $3) AS number`,
    values,
  );
}

interface Read {
  readonly reply: ApiReply<any>;
  /** The statements that read logs or metrics. */
  readonly statements: readonly SentStatement[];
  /** The old partitions that were read. */
  readonly old: readonly string[];
}

async function read(path: string): Promise<Read> {
  let reply: ApiReply<any> | undefined;
  const sent = await statementsOf(app, async () => (reply = await person.api.get(path)));
  expect([path, reply!.status]).toEqual([path, 200]);
  const statements = sent.filter(({ text }) => /agent_(logs|metrics)/.test(text));
  const scans = await Promise.all(statements.map((statement) => scansOf(app, statement)));
  const tables = new Set(scans.flat().map(({ table }) => table));
  return { reply: reply!, statements, old: [...tables].filter((table) => table.includes('_old_')) };
}

const ofBusy = (path: string) => path.replace('AGENT', busy.id).replace('DEPLOYMENT', deployment);
const ofQuiet = (path: string) => path.replace('AGENT', quiet.id);

const FILLED = [
  '/agents/AGENT/logs',
  '/agents/AGENT/logs?limit=99',
  '/agents/AGENT/logs?limit=50&skip=50',
  '/agents/AGENT/logs?limit=20&level=error',
  '/agents/AGENT/logs?limit=20&level=info',
  '/agents/AGENT/logs?limit=20&min_level=warning',
  '/agents/AGENT/logs?limit=20&min_level=info&skip=5',
  '/agents/AGENT/logs?limit=20&replica=1',
  '/agents/AGENT/logs?limit=20&q=LINE',
  '/deployments/DEPLOYMENT/logs',
  '/deployments/DEPLOYMENT/logs?limit=99',
  '/deployments/DEPLOYMENT/logs?limit=20&level=error&skip=1',
  '/logs',
  '/logs?limit=50&skip=50',
  '/logs?limit=20&min_level=warning',
  '/logs?limit=20&agent_id=AGENT',
  '/agents/AGENT/metrics',
  '/agents/AGENT/metrics?limit=99',
  '/agents/AGENT/metrics?limit=50&skip=50',
  '/deployments/DEPLOYMENT/metrics?limit=99',
];

describe('A page within the last days', () => {
  it.each(FILLED)('is one statement that reads no older partition: %s', async (path) => {
    const { reply, statements, old } = await read(ofBusy(path));
    expect(reply.body.length).toBeGreaterThanOrEqual(20);
    expect(statements).toHaveLength(1);
    expect(old).toEqual([]);
  });
});

/** A filter with a time, for which the whole list is read. */
const WHOLE = 'since=2020-01-01';

async function sameAsWhole(path: string): Promise<Read> {
  const page = await read(path);
  const whole = await read(`${path}${path.includes('?') ? '&' : '?'}${WHOLE}`);
  expect(page.reply.body).toEqual(whole.reply.body);
  const [next, nextOfWhole] = [page, whole].map(({ reply }) => reply.headers.get('link'));
  expect(next).toEqual(nextOfWhole?.replace(`&${WHOLE}`, '').replace(`${WHOLE}&`, '') ?? null);
  expect(page.reply.headers.get('x-total-count')).toEqual(whole.reply.headers.get('x-total-count'));
  return page;
}

describe('A page beyond the last days', () => {
  it.each([
    ['/agents/AGENT/logs', 2],
    ['/agents/AGENT/logs?limit=99', 2],
    // There are 30 recent ones: pages end at the last of them, reach beyond it, begin after it, and are after all.
    ['/agents/AGENT/logs?limit=30', 2],
    ['/agents/AGENT/logs?limit=29', 1],
    ['/agents/AGENT/logs?limit=40&skip=20', 2],
    ['/agents/AGENT/logs?limit=40&skip=40', 2],
    ['/agents/AGENT/logs?limit=40&skip=1000', 2],
    ['/agents/AGENT/logs?limit=40&skip=1001', 1],
    ['/agents/AGENT/logs?limit=40&min_level=warning', 2],
    ['/agents/AGENT/logs?limit=40&level=error', 1],
    ['/agents/AGENT/logs?limit=15&skip=15&level=info', 1],
    ['/agents/AGENT/logs?limit=40&replica=1&skip=30', 1],
    ['/agents/AGENT/logs?q=line%202', 1],
    ['/agents/AGENT/logs?q=absent', 1],
    ['/agents/AGENT/logs?limit=40&q=line&include_total=true', 2],
    ['/agents/AGENT/logs?limit=40&include_total=true', 2],
    ['/logs?limit=100&skip=100', 2],
    ['/logs?limit=40&agent_id=AGENT', 2],
    ['/logs?limit=40&agent_id=AGENT&q=line', 1],
    ['/agents/AGENT/metrics?limit=99', 2],
    ['/agents/AGENT/metrics?limit=40&skip=20', 2],
    ['/agents/AGENT/metrics?limit=40&include_total=true', 2],
  ])('equals a read of all days: %s', async (path, count) => {
    const { statements } = await sameAsWhole(ofQuiet(path));
    expect(statements).toHaveLength(count);
  });

  it('ends at its size limit with large messages in any place', async () => {
    const talker = await createAgent(app, person);
    const write = (rows: number, ago: string) =>
      app.database.query(
        `INSERT INTO agent_logs (agent_id, "timestamp", id, level, message)
         SELECT $1, now() - make_interval(${ago}) - make_interval(secs => number), gen_random_uuid(), 'info',
           repeat('x', 600 * 1024) FROM generate_series(1, $2) AS number`,
        [talker.id, rows],
      );
    await write(2, 'hours => 2');
    await write(4, `days => ${OLD_DAYS[0]}`);
    for (const query of ['', '&limit=99', '&q=x']) {
      const { reply } = await sameAsWhole(`/agents/${talker.id}/logs?skip=0${query}`);
      expect(reply.body).toHaveLength(3);
      expect(reply.headers.get('link')).toContain(`before=${reply.body[2].id}`);
    }
    await write(4, 'hours => 1');
    const { statements, old } = await sameAsWhole(`/agents/${talker.id}/logs?limit=99`);
    expect([statements.length, old]).toEqual([1, []]);
  });
});

describe('A search for log entries', () => {
  it('reads no row twice, because it reads each time range once', async () => {
    const [statement] = (await read(ofQuiet('/agents/AGENT/logs?q=absent'))).statements;
    const scans = await scansOf(app, statement!);
    // PostgreSQL may read small tables completely, with the rows of others.
    const [all] = await app.database.query<{ count: number }>('SELECT count(*)::int FROM agent_logs');
    expect(scans.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(all!.count);
  });
});

describe('The newest logs of an agent with few logs', () => {
  it('take two statements after the one that checks the owner', async () => {
    const agent = await createAgent(app, person);
    await until(async () => {
      const sent = await statementsOf(app, () => person.api.get(`/agents/${agent.id}/logs`));
      return sent.length === 3;
    });
  });
});
