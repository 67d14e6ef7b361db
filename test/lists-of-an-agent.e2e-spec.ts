import { deploy } from './builders/agents.js';
import { askApproval } from './builders/approvals.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { ask, claim, createWorker } from './builders/runs.js';
import { scansOf, statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Rows of the agent, so many that reading all of them is seen. */
const ROWS = 2_000;
/** Size of a page. */
const LIMIT = 20;

let app: TestApp;
let person: Person;
let agentId: string;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  for (const name of ['p1', 'p2', 'p3', 'p4']) await createProject(person, name);
  const agent = await createWorker(app, person);
  agentId = agent.id;
  await ask(person, agent);
  const [run] = await claim(agent);
  await askApproval(agent, { run_id: run!.run_id });
  await deploy(person, agent);
  for (const [table, change] of [
    ['runs', `'status', 'succeeded', 'ended_at', now()`],
    ['deployments', `'status', 'stopped'`],
    ['approvals', `'approval_key', number`],
  ] as const) {
    await app.database.query(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table},
         to_jsonb(one) || jsonb_build_object('id', gen_random_uuid(), ${change}))).*
       FROM (SELECT * FROM ${table} WHERE agent_id = $1 LIMIT 1) AS one, generate_series(1, $2::int) AS number`,
      [agentId, ROWS],
    );
    await app.database.query(`ANALYZE ${table}`);
  }
});

afterAll(() => app.close());

describe('The list of one agent, for a person of several projects', () => {
  it.each(['runs', 'deployments', 'approvals'])(
    'reads few of its rows, and none for the other projects: %s',
    async (table) => {
      const sent = await statementsOf(app, async () => {
        const { status, body } = await person.api.get(`/${table}?agent_id=${agentId}&limit=${LIMIT}`);
        expect([status, body.length]).toEqual([200, LIMIT]);
      });
      const list = sent.find(({ text }) => text.includes('page_bytes'));
      const scans = (await scansOf(app, list!)).filter((scan) => scan.table === table);
      const rows = scans.reduce((sum, scan) => sum + scan.rows, 0);
      expect([rows > 0, rows <= 6 * LIMIT]).toEqual([true, true]);
    },
  );
});
