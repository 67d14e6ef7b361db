import { randomUUID } from 'node:crypto';
import { Database } from '../src/database/database.js';
import { rowsOf } from '../src/database/sql.js';
import { createAgent, deploy, insertAgents, obey, report, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/**
 * PostgreSQL plans a statement for its values at its first five executions on a connection, to estimate the cost of a
 * generic plan.
 */
const TRIALS = 5;
const ROUNDS = 8;
const AGENTS = 5_000;

/** How often a connection has planned a statement for its values, and how often it used the generic plan. */
interface Plans {
  readonly name: string;
  readonly statement: string;
  readonly custom: number;
  readonly generic: number;
}

let app: TestApp;
let person: Person;
let agent: TestAgent;
let deploymentId: string;
let plans: Plans[];

beforeAll(async () => {
  // With one connection for each kind of work, all executions of a statement are by the same one.
  app = await startTestApp({ settings: { DATABASE_POOL_SIZE: '4' } });
  person = await registerPerson(app);
  // In small tables ten rows cost as little as one, so PostgreSQL would not plan again for a short list.
  await insertAgents(app.database, person.email, AGENTS);
  await app.database.query(
    `INSERT INTO api_keys (id, user_id, agent_id, name, key_prefix, secret_hash)
     SELECT gen_random_uuid(), user_id, id, 'key', 'prefix', '' FROM agents`,
  );
  await app.database.query('ANALYZE');
  agent = await createAgent(app, person);
  deploymentId = await deploy(person, agent);
  await obey(agent);
  for (let round = 0; round < ROUNDS; round++) await everyHotRequest(round + 2);
  const { people, runtimes } = app.app.get(Database);
  plans = (
    await Promise.all(
      [people, runtimes].map(({ manager }) =>
        rowsOf<Plans>(
          manager,
          `SELECT name, statement, custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
           WHERE parameter_types <> '{}'`,
        ),
      ),
    )
  ).flat();
});

afterAll(() => app.close());

async function everyHotRequest(replicas: number): Promise<void> {
  const own = `/agents/${agent.id}`;
  const timestamp = new Date().toISOString();
  const entry = { timestamp, deployment_id: deploymentId };
  const requests = [
    () => person.api.get('/agents'),
    () => person.api.get(own),
    () => person.api.get(`${own}/logs`),
    () => person.api.get(`/deployments/${deploymentId}/events`),
    () => person.api.post(`/deployments/${deploymentId}/scale`, { replicas }),
    () => agent.runtime.post('/agents/logs', { logs: [{ ...entry, level: 'info', message: 'line' }] }),
    () => agent.runtime.post('/agents/metrics', { metrics: [{ ...entry, cpu_usage: 1 }] }),
    () => person.api.post(`${own}/runs`, {}),
    () => agent.runtime.post('/agents/runs/claim', {}),
    () => agent.runtime.post('/agents/runs', { runs: [{ run_key: 'own', status: 'running' }] }),
    () => agent.runtime.post('/agents/runs', { runs: [{ run_key: `own ${replicas}`, status: 'running' }] }),
    () => person.api.post(`/deployments/${deploymentId}/stop`),
    () => person.api.post(`/deployments/${deploymentId}/restart`),
  ];
  // A key that no instance has cached.
  const { runtime } = await createAgent(app, person);
  const headers = { 'idempotency-key': randomUUID() };
  requests.push(() => runtime.post('/agents/register', {}, { headers }));
  for (const request of requests) {
    expect((await request()).status).toBeLessThan(300);
    await obey(agent);
  }
  await report(agent, deploymentId, { status: 'running' });
}

describe('A statement of a hot request', () => {
  it.each([
    ['newest_agents'],
    ['find_owned_agent'],
    ['newest_logs_agentId'],
    ['newest_events'],
    ['update_deployment'],
    ['insert_logs'],
    ['insert_metrics'],
    // statements with a list of ids
    ['queue_states'],
    ['find_mentioned_deployments'],
    ['set_agent_status'],
    ['record_presence'],
    ['latest_deployments'],
    ['find_stored_keys'],
    ['lock_free_agents'],
    ['read_agents'],
    ['save_idempotent_replies'],
    ['update_agent_details'],
    // a deployment is scaled, and its runtime acknowledges that
    ['find_command_for_agent'],
    // a run is queued, given to its runtime, and reported on
    ['room_in_run_queues'],
    ['insert_runs_ask'],
    ['insert_runs_begin'],
    ['lock_claimed_runs'],
    ['write_runs_0'],
    ['lock_mentioned_runs'],
    ['write_runs_1'],
  ])('has a name, by which its connection finds the stored plan: %s', (name) => {
    const own = plans.filter((each) => each.name === name);
    expect(own).toContainEqual(expect.objectContaining({ name, custom: TRIALS }));
    expect(Math.max(...own.map(({ generic }) => generic))).toBeGreaterThan(0);
  });

  // PostgreSQL copies an expression of a subquery to each of its uses, and runs each copy.
  it('reads each part of a queue of runs once', async () => {
    const { statement } = plans.find(({ name }) => name === 'run_queue_states')!;
    const plan = await app.database.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
    const scans = plan.filter((line) => / on (runs|deployments|budgets) /.test(line['QUERY PLAN']));
    // what is due, and before it in its schedule; what is active; what is due next; used-up budgets; what a runtime has
    expect(scans).toHaveLength(6);
  });

  it('is not planned again for other values on the same connection', () => {
    expect(plans.filter(({ custom }) => custom > TRIALS)).toEqual([]);
  });
});
