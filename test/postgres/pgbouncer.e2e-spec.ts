import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { playStory } from '../audit/story.js';
import { createAgent } from '../builders/agents.js';
import { registerPerson } from '../builders/people.js';
import { urlOf } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { withAdmin } from '../harness/cluster.mjs';
import { runDoctor } from '../harness/run-doctor.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { openDatabase } from './open-database.js';
import { PgBouncer, SERVER_CONNECTIONS } from './pgbouncer.js';

const ROLE = `pooled_${randomBytes(4).toString('hex')}`;
const LIMITS = {
  timezone: 'UTC',
  statement_timeout: '15s',
  lock_timeout: '15s',
  idle_in_transaction_session_timeout: '15s',
};

let database: TestDatabase;
let pooler: PgBouncer;

// Reported as skipped if PgBouncer is not installed.
(PgBouncer.isInstalled ? describe : describe.skip)('Behind PgBouncer in transaction mode', () => {
  beforeAll(async () => {
    await withAdmin((admin) => admin.query(`CREATE ROLE ${ROLE} SUPERUSER LOGIN`));
    database = await createTestDatabase();
    pooler = await PgBouncer.start(ROLE);
  });

  afterAll(async () => {
    await pooler.stop();
    await database.drop();
    await withAdmin((admin) => admin.query(`DROP ROLE ${ROLE}`));
  });

  const targetOf = ({ target }: TestDatabase) => ({
    url: pooler.url(ROLE, target.database),
    directUrl: urlOf({ ...target, user: ROLE }),
  });

  /** The doctor's findings about the pooler. */
  async function doctorsWord(url = targetOf(database).url): Promise<string> {
    const { directUrl } = targetOf(database);
    const { findings } = await runDoctor({ DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl });
    const { status, message } = findings.find(({ check }) => check === 'pooler')!;
    return `${status}: ${message}`;
  }

  it('the service refuses sessions without time limits, and names the statements that set them', async () => {
    const opened = openDatabase(targetOf(database), []);
    await opened.whenOpen();
    await opened.close();
    const missing = `ALTER ROLE ${ROLE} SET statement_timeout = '15s'`;
    expect(opened.refusal?.message).toContain(missing);
    expect(await doctorsWord()).toMatch(/^failed: /);
    expect(await doctorsWord()).toContain(missing);
  });

  it('the service logs that it needs DATABASE_DIRECT_URL if it has only the address of the pooler', async () => {
    const lines: string[] = [];
    const opened = openDatabase({ url: targetOf(database).url }, lines);
    await until(() => lines.length > 0);
    await opened.close();
    expect(lines).toEqual([expect.stringMatching(/a pooler: also set DATABASE_DIRECT_URL/)]);
  });

  it('the migration program connects to PostgreSQL directly', () => {
    const { url, directUrl } = targetOf(database);
    const env = { PATH: process.env.PATH, DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl };
    execFileSync(process.execPath, ['dist/src/migrate.js', '--wait-seconds', '0'], { env });
  });

  it('the service answers all requests of people and agents on shared connections', async () => {
    for (const [name, value] of Object.entries(LIMITS)) {
      await withAdmin((admin) => admin.query(`ALTER ROLE ${ROLE} SET ${name} = '${value}'`));
    }
    // The sessions of the previous test have no limits.
    await pooler.stop();
    pooler = await PgBouncer.start(ROLE);
    const { app, close } = await playStory({ database, target: targetOf(database) });
    const person = await registerPerson(app);
    const agents = await Promise.all(Array.from({ length: 20 }, () => createAgent(app, person)));
    const replies = await Promise.all(
      agents.flatMap(({ runtime }) => [
        runtime.post('/agents/heartbeat', {}),
        runtime.post('/agents/logs', { level: 'info', message: 'hello' }),
        person.api.get('/agents'),
      ]),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const search = await person.api.get('/agents?include_total=true&q=a');
    expect(search.status).toBe(200);
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name ~ 'runtimes|people|searches'`,
    );
    expect(row!.count).toBeLessThanOrEqual(SERVER_CONNECTIONS);
    await expectCleanAudit(database);
    await close();
  });

  it('the doctor reports a pooler that leads elsewhere, or is away', async () => {
    expect(await doctorsWord()).toMatch(/^ok: it leads to the same database/);
    expect(await doctorsWord(pooler.url(ROLE, 'postgres'))).toMatch(
      /^failed: .* lead to different databases$/,
    );
    await pooler.stop();
    expect(await doctorsWord()).toMatch(/^failed: it can't be reached: .*ECONNREFUSED/);
    pooler = await PgBouncer.start(ROLE);
  });
});
