import { randomBytes } from 'node:crypto';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { urlOf } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { withAdmin } from '../harness/cluster.mjs';
import { expectError } from '../harness/error-shape.js';
import { SlowLink } from '../harness/slow-link.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';

const ROLE = `pooled_${randomBytes(4).toString('hex')}`;
const LIMITS = {
  timezone: 'UTC',
  statement_timeout: '15s',
  lock_timeout: '15s',
  idle_in_transaction_session_timeout: '15s',
};

let database: TestDatabase;
/** Stands where a pooler would: the pools of requests go through it, all else goes to the server. */
let pooler: SlowLink;
let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  await withAdmin(async (admin) => {
    await admin.query(`CREATE ROLE ${ROLE} SUPERUSER LOGIN`);
    for (const [name, value] of Object.entries(LIMITS)) {
      await admin.query(`ALTER ROLE ${ROLE} SET ${name} = '${value}'`);
    }
  });
  database = await createTestDatabase();
  const target = { ...database.target, user: ROLE };
  pooler = await SlowLink.start(target);
  app = await startTestApp({ database, target: { url: pooler.url, directUrl: urlOf(target) } });
  person = await registerPerson(app);
  agent = await createAgent(app, person);
});

afterAll(async () => {
  await app.close();
  await pooler.close();
  await database.drop();
  await withAdmin((admin) => admin.query(`DROP ROLE ${ROLE}`));
});

const untilReadyIs = (status: number) => until(async () => (await app.api.get('/ready')).status === status);

async function expectRefused(): Promise<void> {
  await untilReadyIs(503);
  const { body } = await app.api.get('/ready');
  expect(body).toEqual({
    status: 'not_ready',
    database: 'unavailable',
    error: 'The database is unavailable for the pools runtimes, people, searches',
  });
  const refusedAtOnce = async () =>
    (await person.api.get('/agents')).body.message === 'The database is unavailable';
  await until(refusedAtOnce);
  expectError(await agent.runtime.post('/agents/heartbeat', {}), 503, 'The database is unavailable');
  expect((await app.api.get('/health')).body.status).toBe('degraded');
}

async function expectServed(): Promise<void> {
  await untilReadyIs(200);
  await until(async () => (await person.api.get('/agents')).status === 200);
  await until(async () => (await agent.runtime.post('/agents/heartbeat', {})).status === 200);
}

describe('A service whose pooler is away', () => {
  it('is not ready, names the pools, and refuses requests at once until the pooler answers again', async () => {
    await expectServed();
    pooler.hang();
    await expectRefused();
    pooler.slowDown(0);
    await expectServed();
    await expectCleanAudit(database);
  });

  it('is not ready and refuses requests at once when the pooler takes no connection', async () => {
    await pooler.close();
    await expectRefused();
  });
});
