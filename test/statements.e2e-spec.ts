import { insertSearched } from '../src/agents/agent-copies.repository.js';
import { PresenceService } from '../src/agents/presence.service.js';
import { TelemetryIngestService } from '../src/telemetry/telemetry-ingest.service.js';
import { createAgent, deploy, obey, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { setMembership } from './builders/projects.js';
import { scansOf, type SentStatement, statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** How many statements the hot requests cost, and how many rows those read: counts, because no machine changes them. */

const AGENTS = 600;

let app: TestApp;
let person: Person;
let agent: TestAgent;
let deploymentId: string;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  // Enough rows that a plan that reads all of them is seen. Those of another owner lie between the person's.
  await app.database.query(
    `WITH other AS (
       INSERT INTO users (id, email, password_hash) VALUES (gen_random_uuid(), 'other@example.com', '') RETURNING id
     ), project AS (
       INSERT INTO projects (id, name, is_personal, created_by) SELECT id, 'Personal', true, id FROM other
     ), made AS (
       INSERT INTO agents (id, user_id, name, type, status)
       SELECT gen_random_uuid(), owner.id, prefix || number, 'worker', 'running'
       FROM (SELECT $1::uuid, 'idle-' UNION ALL SELECT id, 'other-' FROM other) AS owner (id, prefix),
         generate_series(1, ${AGENTS}) AS number RETURNING *
     ), configs AS (
       INSERT INTO agent_configs (agent_id, config_version, config, actor) SELECT id, 1, '{}', 'user:' || user_id FROM made
     ), search AS (${insertSearched('made')})
     INSERT INTO agent_presence (agent_id, user_id, assigned_interval_seconds) SELECT id, user_id, 30 FROM made`,
    [person.id],
  );
  agent = await createAgent(app, person);
  deploymentId = await deploy(person, agent);
  await obey(agent);
  await app.database.query('ANALYZE');
});

afterAll(() => app.close());

/**
 * The statements of a request once nothing has to be looked up for it any more: a busy machine may not trust what it
 * remembers for a moment, and reads the credential again.
 */
function settled(request: () => Promise<{ status: number }>, count: number): Promise<SentStatement[]> {
  return until(async () => {
    const sent = await statementsOf(app, async () => expect((await request()).status).toBe(200));
    return sent.length === count && sent;
  });
}

async function rowsRead(statements: readonly SentStatement[]): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const statement of statements)
    for (const scan of await scansOf(app, statement)) rows[scan.table] = (rows[scan.table] ?? 0) + scan.rows;
  return rows;
}

describe('A list of agents', () => {
  it.each(['', '?limit=50', '?limit=20', '?skip=10'])(
    'takes one statement that reads no agent after the page: %s',
    async (query) => {
      const sent = await settled(() => person.api.get(`/agents${query}`), 1);
      const {
        agents,
        agent_configs: configs,
        agent_presence: presence,
        deployments,
        ...others
      } = await rowsRead(sent);
      expect(Math.max(agents!, configs!, presence!, deployments!)).toBeLessThanOrEqual(61);
      expect(Object.keys(others).filter((table) => table !== 'service_deafness')).toEqual([]);
    },
  );
});

/** PostgreSQL reads an index alone where it knows that all see the rows; a transaction of a moment ago hides that. */
async function vacuum(table: string): Promise<void> {
  await until(async () => {
    await app.database.query(`VACUUM ANALYZE ${table}`);
    const [known] = await app.database.query<{ isSeen: boolean }>(
      'SELECT relallvisible >= relpages - 1 AS "isSeen" FROM pg_class WHERE relname = $1',
      [table],
    );
    return known!.isSeen;
  });
}

describe('A list of agents of a large project among many small ones', () => {
  const SMALL = 600;
  let teammate: Person;

  beforeAll(async () => {
    teammate = await registerPerson(app);
    await app.database.query(
      `WITH project AS (
         INSERT INTO projects (id, name, is_personal, created_by)
         SELECT gen_random_uuid(), 'small ' || number, false, $1 FROM generate_series(1, ${SMALL}) AS number RETURNING id
       ), member AS (
         INSERT INTO project_members (user_id, project_id, source, role)
         SELECT $1, id, 'direct', 'viewer' FROM project LIMIT 18
       ), made AS (
         INSERT INTO agents (id, user_id, name, type, status)
         SELECT gen_random_uuid(), id, 'small', 'worker', 'running' FROM project RETURNING id
       )
       INSERT INTO agent_configs (agent_id, config_version, config, actor) SELECT id, 1, '{}', 'monitor' FROM made`,
      [teammate.id],
    );
    await setMembership(app, person.id, teammate, 'viewer');
    await vacuum('agents');
  });

  it.each(['?limit=20', '?skip=10'])('reads no agent after the page: %s', async (query) => {
    const sent = await settled(() => person.api.get(`/agents${query}`), 1);
    expect((await rowsRead(sent)).agents).toBeLessThanOrEqual(61);
  });

  it('of twenty projects reads few rows of each', async () => {
    const sent = await settled(() => teammate.api.get('/agents'), 1);
    expect((await rowsRead(sent)).agents).toBeLessThanOrEqual(20 * 8 + 2 * 51);
  });
});

describe('A filter by connection or health', () => {
  beforeAll(() => vacuum('agent_presence'));

  it.each(
    ['never_connected', 'online', 'offline']
      .map((connection) => `connection=${connection}`)
      .concat('health=idle', 'health=offline'),
  )('reads only the matching agents: %s', async (query) => {
    const [found] = await settled(() => person.api.get(`/agents?${query}&limit=5`), 2);
    const { agent_presence: read = 0 } = await rowsRead([found!]);
    expect(read).toBeLessThanOrEqual(2 * 6);
  });

  it('counts its matches by an index', async () => {
    const sent = await statementsOf(app, () => person.api.get('/overview'));
    const counts = sent.find(({ text }) => text.includes('moved.sign'));
    const { agent_presence: read, ...others } = await rowsRead([counts!]);
    expect(others).toEqual({});
    // The clock may be asked of the one agent that is online: with a single one PostgreSQL takes either of two indexes.
    expect([AGENTS + 1, AGENTS + 2]).toContain(read);
  });
});

describe('One agent', () => {
  it('is two statements: the agent, and its deployments', async () => {
    const sent = await settled(() => person.api.get(`/agents/${agent.id}`), 2);
    expect(await rowsRead(sent)).toMatchObject({
      agents: 2,
      agent_configs: 1,
      agent_presence: 1,
      // Its deployments are read with the agent.
      deployments: 2,
    });
  });
});

describe('A step of a deployment', () => {
  let replicas = 1;
  const scale = () => person.api.post(`/deployments/${deploymentId}/scale`, { replicas: ++replicas });

  it('is eight statements in one transaction, which locks no row of the project', async () => {
    const sent = await settled(scale, 10);
    await obey(agent);
    expect([sent[0]!.text, sent.at(-1)!.text]).toEqual(['START TRANSACTION', 'COMMIT']);
    expect(sent.filter(({ text }) => text.includes('user_event_counters'))).toEqual([]);
  });
});

describe('The events of a deployment', () => {
  it('are three statements, one of which names the actors; they read one deployment and no event after the page', async () => {
    const events = () => person.api.get(`/deployments/${deploymentId}/events`);
    const sent = await settled(events, 3);
    expect(await rowsRead(sent)).toMatchObject({
      deployments: 1,
      deployment_events: (await events()).body.items.length,
    });
  });
});

describe('A heartbeat', () => {
  const beat = (body: object) => () => agent.runtime.post('/agents/heartbeat', body);

  it('takes one statement when nothing has changed', async () => {
    expect(await settled(beat({ status: 'idle' }), 1)).toHaveLength(1);
  });

  it('takes one statement when its status is running and no deployment is lost', async () => {
    expect(await settled(beat({ status: 'running' }), 1)).toHaveLength(1);
  });

  it('shares one statement with up to 499 other heartbeats of the same turn of the event loop', async () => {
    const presence = app.app.get(PresenceService);
    const rows = await app.database.query<{ id: string }>("SELECT id FROM agents WHERE name LIKE 'idle-%'");
    expect(rows).toHaveLength(AGENTS);
    const sent = await statementsOf(app, () =>
      Promise.all(rows.map(({ id }) => presence.heartbeat(id, 'running', null))),
    );
    expect(sent).toHaveLength(Math.ceil(AGENTS / 500));
  });
});

describe('Data from agents', () => {
  const timestamp = new Date().toISOString();

  it.each([
    ['logs', { level: 'info', message: 'line', timestamp }],
    ['metrics', { cpu_usage: 1, timestamp }],
  ] as const)(
    "is written with other agents' data of the same turn, up to 64 in one statement: %s",
    async (kind, entry) => {
      const ingest = app.app.get(TelemetryIngestService);
      const rows = await app.database.query<{ id: string }>("SELECT id FROM agents WHERE name LIKE 'idle-%'");
      const submit = (agentId: string) => {
        const caller = { kind: 'agent', agentId, projectId: person.id } as const;
        return kind === 'logs'
          ? ingest.submitLogs(caller, { logs: [entry] })
          : ingest.submitMetrics(caller, { metrics: [entry] });
      };
      const sent = await statementsOf(app, () => Promise.all(rows.map(({ id }) => submit(id))));
      expect(sent.filter(({ text }) => text.includes(`agent_${kind}`))).toHaveLength(Math.ceil(AGENTS / 64));
    },
  );
});

describe('A step of a deployment whose agent has had a thousand', () => {
  it('reads the deployment itself, the active ones and the newest one', async () => {
    const old = await createAgent(app, person);
    await app.database.query(
      `INSERT INTO deployments (id, agent_id, user_id, status, status_source, replicas, generation, start_generation,
         last_sequence, created_at)
       SELECT gen_random_uuid(), $1, $2, 'stopped', 'user', 1, 1, 1, 0, now() - number * interval '1 minute'
       FROM generate_series(1, 1000) AS number`,
      [old.id, person.id],
    );
    const id = await deploy(person, old);
    await obey(old);
    await app.database.query('ANALYZE deployments');
    const sent = await statementsOf(app, () => person.api.post(`/deployments/${id}/scale`, { replicas: 2 }));
    const [write] = sent.filter(({ text }) => text.startsWith('WITH written AS'));
    const { deployments: read } = await rowsRead([write!]);
    expect(read).toBeLessThanOrEqual(5);
  });
});
