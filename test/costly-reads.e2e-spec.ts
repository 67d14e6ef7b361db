import { readFileSync } from 'node:fs';
import { Database } from '../src/database/database.js';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

/** Size of the pool: two connections are for searches, one for each user; two more searches of the same user wait. */
const POOL_SIZE = 14;
const ADMITTED_OF_A_USER = 3;
const BUSY = 'Too many searches and counts are in progress: try again later';

let database: TestDatabase;
let app: TestApp;
/** An operator, who may read every list. */
let owner: Person;
let agent: TestAgent;
let deployment: string;
let webhook: string;
let run: string;

/** A search for the word `held` runs as long as there is a row in `held`. */
const HELD_SEARCH = `
  CREATE TABLE held (word text);
  CREATE FUNCTION public.strpos(searched text, wanted text) RETURNS integer LANGUAGE plpgsql AS $$
  BEGIN
    WHILE EXISTS (SELECT FROM held WHERE word = wanted) LOOP PERFORM pg_sleep(0.01); END LOOP;
    RETURN pg_catalog.strpos(searched, wanted);
  END $$`;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query(HELD_SEARCH);
  await database.query(`ALTER DATABASE ${database.target.database} SET search_path = public, pg_catalog`);
  app = await startTestApp({
    database,
    settings: {
      DATABASE_POOL_SIZE: `${POOL_SIZE}`,
      COSTLY_READ_TIMEOUT_SECONDS: '15',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    },
  });
  owner = await registerOperator(app);
  agent = await agentWithLog(owner);
  deployment = await deploy(owner, agent);
  await log(agent, 'of the deployment');
  run = (await owner.api.post(`/agents/${agent.id}/runs`, {})).body.id;
  webhook = (await owner.api.post('/webhooks', { url: 'http://127.0.0.1:9/' })).body.id;
});

afterAll(async () => {
  await app.close();
  await database.drop();
});

const log = (of: TestAgent, message: string) => of.runtime.post('/agents/logs', { level: 'info', message });

async function agentWithLog(person: Person): Promise<TestAgent> {
  const made = await createAgent(app, person);
  await log(made, 'a line');
  return made;
}

const search = (person: Person, of: TestAgent, word = 'held') =>
  person.api.get(`/agents/${of.id}/logs?q=${word}`);

/** Number of searches that have a connection now. */
async function searching(): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND query LIKE '%strpos%' AND pid <> pg_backend_pid()`,
  );
  return row!.count;
}

/** Adds a search to those that `whileHeld` waits for. */
type Hold = (reply: Promise<ApiReply<any>>) => Promise<ApiReply<any>>;

/** Runs `work` while searches run that end only after it. */
async function whileHeld(work: (hold: Hold) => Promise<void>): Promise<ApiReply<any>[]> {
  await database.query(`INSERT INTO held VALUES ('held')`);
  const held: Promise<ApiReply<any>>[] = [];
  const hold: Hold = (reply) => {
    held.push(reply);
    return reply;
  };
  try {
    await work(hold);
  } finally {
    await database.query('DELETE FROM held');
  }
  return Promise.all(held);
}

/** Searches again whenever the search has waited for five seconds, or run for fifteen: on a slow machine the work of a test takes longer. */
async function searchUntilServed(person: Person, of: TestAgent): Promise<ApiReply<any>> {
  for (;;) {
    const reply = await search(person, of);
    if (reply.status === 200) return reply;
  }
}

/** Fills one user's searches: the maximum of running and of waiting ones. */
async function fill(hold: Hold, person: Person, of: TestAgent, running: number): Promise<void> {
  for (let count = 0; count < ADMITTED_OF_A_USER; count++) void hold(searchUntilServed(person, of));
  await until(async () => (await searching()) === running);
  await until(async () => (await search(person, of, 'more')).status === 503);
}

describe('Concurrent searches of one user', () => {
  it('return 503 at once past the limit, without delaying other users', async () => {
    const [stranger, third] = [await registerPerson(app), await registerPerson(app)];
    const [theirs, thirds] = [await agentWithLog(stranger), await agentWithLog(third)];
    const refused: ApiReply<any>[] = [];
    const replies = await whileHeld(async (hold) => {
      const sixty = Array.from({ length: 60 }, () => hold(search(owner, agent)));
      for (const reply of sixty) void reply.then((it) => refused.push(it));
      // The others still wait, because the running ones don't end.
      await until(() => refused.length === 60 - ADMITTED_OF_A_USER);
      for (const reply of refused) expectError(reply, 503, BUSY);
      expect(new Set(refused.map(({ headers }) => headers.get('retry-after'))).size).toBeGreaterThan(1);
      expect(await searching()).toBe(1);

      expect((await search(stranger, theirs, 'line')).body).toHaveLength(1);
      void hold(search(stranger, theirs));
      await until(async () => (await searching()) === 2);
      const thirdSearch = search(third, thirds, 'line');
      const others = [
        await theirs.runtime.post('/agents/heartbeat', {}),
        await agent.runtime.post('/agents/heartbeat', {}),
        await log(agent, 'another line'),
        await owner.api.get(`/agents/${agent.id}/logs`),
        await third.api.get(`/agents/${thirds.id}/logs?since=2020-01-01&skip=1000`),
        await third.api.post('/agents', {}),
      ];
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 201]);
      expect(await searching()).toBe(2);
      void hold(search(third, thirds));
      void thirdSearch.then((reply) => expect(reply.body).toHaveLength(1));
    });
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(ADMITTED_OF_A_USER + 2);
    expect(statuses.filter((status) => status === 503)).toHaveLength(60 - ADMITTED_OF_A_USER);
    for (const person of [owner, stranger]) {
      const of = person === owner ? agent : theirs;
      const again = await Promise.all([1, 2, 3].map(() => search(person, of, 'line')));
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  });

  it('delay a resuming log stream, which then misses no entry', async () => {
    const path = `/agents/${agent.id}/logs/stream`;
    const credential = owner.accessToken;
    const first = await EventStream.open(app.url, path, { credential });
    await until(() => first.lastEventId !== '');
    first.close();
    await log(agent, 'missed');
    let resumed: EventStream | undefined;
    await whileHeld(async (hold) => {
      await fill(hold, owner, agent, 1);
      const headers = { 'Last-Event-ID': first.lastEventId };
      resumed = await EventStream.open(app.url, path, { credential, headers });
      await log(agent, 'new');
      expect(resumed.data).toEqual([]);
    });
    const rows = await resumed!.has(2);
    expect(rows.map(({ message }) => message)).toEqual(['missed', 'new']);
    resumed!.close();
  });
});

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, { get?: { parameters?: { $ref?: string }[] } }>;
};

/** Every list that can be counted, and its filters without an index. */
const lists = Object.entries(document.paths)
  .filter(([, { get }]) =>
    get?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/IncludeTotal'),
  )
  .map(([path]) => path);
/** Lists that look up each of the owner's agents, whatever the filter. */
const ALWAYS_COSTLY = ['/logs'];
const FILTERED: Readonly<Record<string, readonly string[]>> = {
  '/logs': ['', 'level=error', 'q=x'],
  '/agents/{agent_id}/logs': ['level=error', 'min_level=error', 'q=x'],
  '/deployments/{deployment_id}/logs': ['level=error', 'q=x'],
  '/deployments': ['q=x', 'failed_since=2026-01-31', 'waiting=true'],
  '/deployments/{deployment_id}/events': ['event_type=scale', 'status=ready', 'since=2026-01-31'],
  '/deployments/{deployment_id}/commands': ['state=dead'],
  '/runs': ['q=x', 'label=a:b', 'source=api', 'config_version=1', 'status=failed&status=timed_out'],
  '/approvals': ['state=approved', 'risk=low', 'id_prefix=0192'],
  '/webhooks/{webhook_id}/deliveries': ['event=webhook.test', 'success=false'],
};

function routeOf(path: string): string {
  return path
    .replace('{agent_id}', agent.id)
    .replace('{deployment_id}', deployment)
    .replace('{project_id}', owner.id)
    .replace('{run_id}', run)
    .replace('{webhook_id}', webhook);
}

describe('Every list', () => {
  it('takes a search slot when it is counted, skipped far or filtered without an index, and otherwise none', async () => {
    expect(lists.length).toBeGreaterThanOrEqual(13);
    await whileHeld(async (hold) => {
      await fill(hold, owner, agent, 1);
      for (const path of lists) {
        // The total of an unfiltered history is known.
        const counted = path.endsWith('/events') ? [] : ['include_total=true'];
        const costly = [...counted, 'skip=1001', ...(FILTERED[path] ?? [])];
        const refused = await Promise.all(costly.map((query) => owner.api.get(`${routeOf(path)}?${query}`)));
        for (const reply of refused) expectError(reply, 503, BUSY);
        const cheap = ALWAYS_COSTLY.includes(path)
          ? [`?agent_id=${agent.id}`]
          : ['', '?skip=1000', '?include_total=false'];
        const served = await Promise.all(cheap.map((query) => owner.api.get(`${routeOf(path)}${query}`)));
        for (const { status } of served) expect([path, status]).toEqual([path, 200]);
      }
    });
  });
});

describe('A slow search', () => {
  let hasty: TestApp;
  beforeAll(async () => {
    hasty = await startTestApp({ database, settings: { COSTLY_READ_TIMEOUT_SECONDS: '1' } });
  });
  afterAll(() => hasty.close());

  it('returns 422 with the parameters that narrow it', async () => {
    const api = hasty.api.as(owner.accessToken);
    await whileHeld(async () => {
      const [ofAgent, ofDeployment] = await Promise.all([
        api.get(`/agents/${agent.id}/logs?q=held`),
        api.get(`/deployments/${deployment}/logs?q=held`),
      ]);
      expectError(
        ofAgent,
        422,
        'There is too much to read: narrow the time range, drop a filter or include_total, or skip less',
      );
      expectError(ofDeployment, 422, /: narrow the time range, /);
      expect((await api.get(`/agents/${agent.id}/logs`)).status).toBe(200);
    });
    expect((await api.get(`/agents/${agent.id}/logs?q=held`)).status).toBe(200);
  });

  it('returns 503 when it waited for a lock', async () => {
    await database.query('BEGIN');
    try {
      await database.query('LOCK TABLE agent_metrics IN ACCESS EXCLUSIVE MODE');
      const reply = await hasty.api
        .as(owner.accessToken)
        .get(`/agents/${agent.id}/metrics?include_total=true`);
      expectError(reply, 503, 'The service is temporarily unavailable');
    } finally {
      await database.query('ROLLBACK');
    }
  });

  it('does not shorten the time limit of other reads', async () => {
    const { manager } = hasty.app.get(Database).people;
    const times = await Promise.all(
      Array.from({ length: 20 }, () => manager.query('SHOW statement_timeout')),
    );
    expect(new Set(times.map(([row]: any) => row.statement_timeout))).toEqual(new Set(['20s']));
  });
});
